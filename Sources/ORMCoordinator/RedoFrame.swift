internal import ORMRows
internal import ORMStorage

/// A part of an entry of the journal: changes of rows of one entity, by key.
///
/// Frames of an entity first delete every row that the transaction has changed, then put those that
/// are still there. So rows may have exchanged values that are unique, and applying an entry again
/// changes nothing.
struct RedoFrame {
  /// The configuration.
  var member: String
  /// The stored name of the entity.
  var entity: String
  var content: Content

  enum Content {
    /// Every row is deleted.
    case clear
    /// The rows with these keys are deleted.
    case delete([[StoredValue]])
    /// Rows with these columns, by stored names, are put.
    case put(columns: [String], rows: [[StoredValue]])
    /// No key up to this one is generated any more.
    case raise(Int64)
  }

  init(_ member: String, _ entity: String, _ content: Content) {
    self.member = member
    self.entity = entity
    self.content = content
  }

  var bytes: [UInt8] {
    var bytes = HistoryBytes()
    bytes.append(text: member)
    bytes.append(text: entity)
    switch content {
    case .clear: bytes.append(byte: 0)
    case .delete(let keys):
      bytes.append(byte: 1)
      bytes.append(rows: keys)
    case .put(let columns, let rows):
      bytes.append(byte: 2)
      bytes.append(texts: columns)
      bytes.append(rows: rows)
    case .raise(let key):
      bytes.append(byte: 3)
      bytes.append(value: .int(key))
    }
    return bytes.bytes
  }

  /// Reads a frame.
  ///
  /// - Throws: `corrupt`.
  init(_ bytes: [UInt8]) throws {
    var reader = HistoryByteReader(bytes)
    member = try reader.text()
    entity = try reader.text()
    switch try reader.byte() {
    case 0: content = .clear
    case 1: content = .delete(try reader.rows())
    case 2: content = .put(columns: try reader.texts() ?? [], rows: try reader.rows())
    case 3:
      guard case .int(let key) = try reader.value() else { throw HistoryByteReader.damaged }
      content = .raise(key)
    default: throw HistoryByteReader.damaged
    }
    guard reader.isAtEnd else { throw HistoryByteReader.damaged }
  }

  /// Makes the changes by a member's writer.
  ///
  /// - Parameter schema: the schema that the writer answers by.
  func apply(by writer: any StoreWriter, _ schema: StoredSchema) throws {
    // An entity that was dropped since has no rows to be changed.
    guard let entity = schema[entity] else { return }
    switch content {
    case .clear: _ = try writer.apply(.clear(entity.name))
    case .delete(let keys): _ = try writer.delete(keys, of: entity)
    case .put(let names, let rows): try put(names, rows, entity, writer)
    case .raise(let key): try writer.raiseGreatestKey(of: entity.name, to: key)
    }
  }

  private func put(
    _ names: [String], _ rows: [[StoredValue]], _ entity: StoredEntity, _ writer: any StoreWriter
  ) throws {
    let found = names.indices.compactMap { index in
      entity.column(named: names[index]).map { (column: $0, index: index) }
    }.sorted { $0.column < $1.column }
    guard rows.allSatisfy({ $0.count == names.count }) else { throw HistoryByteReader.damaged }
    try writer.put(
      rows.map { row in found.map { row[$0.index] } }, in: found.map(\.column), of: entity, .upsert)
  }
}

extension HistoryBytes {
  fileprivate mutating func append(rows: [[StoredValue]]) {
    append(count: rows.count)
    for row in rows { append(values: row) }
  }
}

extension HistoryByteReader {
  fileprivate mutating func rows() throws -> [[StoredValue]] {
    try (0..<count()).map { _ in try values() }
  }
}
