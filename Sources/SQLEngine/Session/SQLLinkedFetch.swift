package import ORMStorage

/// A compiled page with its linked requests on one connection, with the statements prepared for it.
final class PreparedLinkedFetch {
  /// The statement; nil if the page is not read so.
  let query: SQLQuery?
  /// The form of each request's rows; nil for a request that is sent by itself.
  let rows: [LinkedFetchCompiler.Rows?]
  private var idle: (any LinkedReadingStatement)?

  init(_ shape: LinkedShape, _ schema: SQLSchema, _ dialect: any SQLDialect) throws {
    var compiler = LinkedFetchCompiler(schema, dialect)
    let compiled = try compiler.compile(shape)
    query = compiled?.query
    rows = compiled?.rows ?? []
  }

  /// Takes an idle statement, or prepares one.
  func take(_ query: SQLQuery, _ connection: any SQLConnection) throws -> any LinkedReadingStatement
  {
    defer { idle = nil }
    if let idle { return idle }
    guard let statement = try connection.statement(query.sql) as? any LinkedReadingStatement else {
      throw StoreError(.unsupported, "the connection reads rows of one kind at a time")
    }
    return statement
  }

  /// Gives back a statement that was taken.
  func giveBack(_ statement: any LinkedReadingStatement) {
    statement.rewind()
    idle = statement
  }
}

/// A page and the rows to which it leads, of which one statement gives all.
final class SQLLinkedFetch: LinkedFetch {
  private weak var reader: SQLReader?
  private let page: FetchRequest
  private let shape: LinkedShape
  /// The values of all requests.
  private let bindings: [StoredValue]
  private var run: (fetch: PreparedLinkedFetch, statement: any LinkedReadingStatement)?

  init(_ reader: SQLReader, _ page: FetchRequest, _ linked: [LinkedRequest]) {
    self.reader = reader
    self.page = page
    var bindings = page.bindings
    shape = LinkedShape(
      page: page.shape,
      links: linked.map { link in
        defer { bindings += link.request.bindings }
        return LinkedShape.Link(
          shape: link.request.shape, parent: link.parent,
          parentAttributes: link.parentAttributes, attributes: link.attributes,
          firstBinding: bindings.count)
      })
    self.bindings = bindings
  }

  func visit<V: RowVisitor>(_ position: Int, _ visitor: inout V) throws {
    guard let reader, !reader.isEnded else {
      throw StoreError(.transactionEnded, "the transaction of the fetch has ended")
    }
    if position > 0 || run != nil { return try visitRows(position, &visitor) }
    try reader.first {
      let fetch = try reader.linkedFetch(shape)
      guard let query = fetch.query else { return try reader.visit(page, &visitor) }
      let statement = try fetch.take(query, reader.session.connection)
      do {
        try statement.bind(
          query,
          FetchRequest(
            page.shape, bindings: bindings, limit: page.limit, offset: page.offset), [])
        run = (fetch, statement)
        try visitRows(position, &visitor)
      } catch {
        run = nil
        fetch.giveBack(statement)
        throw error
      }
    }
  }

  private func visitRows<V: RowVisitor>(_ position: Int, _ visitor: inout V) throws {
    guard let run, answers(position), let rows = run.fetch.rows[position] else {
      throw StoreError(.unsupported, "a linked request is sent by itself")
    }
    _ = try run.statement.visitRows(of: rows.part, rows.layout, &visitor)
  }

  func answers(_ position: Int) -> Bool {
    guard let run, run.fetch.rows.indices.contains(position) else { return false }
    return run.fetch.rows[position] != nil
  }

  func end() {
    guard let run else { return }
    self.run = nil
    // After the end of its reader, others may use the connection.
    if let reader, !reader.isEnded { run.fetch.giveBack(run.statement) }
  }
}

extension SQLReader: LinkedReading {
  package final func linkedFetch(
    of page: FetchRequest, _ linked: () throws -> [LinkedRequest]
  ) throws -> (any LinkedFetch)? {
    guard session.readsLinkedRows else { return nil }
    let linked = try linked()
    return linked.isEmpty ? nil : SQLLinkedFetch(self, page, linked)
  }
}
