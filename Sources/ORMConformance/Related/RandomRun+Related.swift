internal import ORM
internal import ORMCore

extension RandomRun {
  /// Asks so many requests over related rows of a provider's stores, 50 over each random content,
  /// and changes what such requests select; compares with loops over all rows.
  ///
  /// They are given to the store as core would lower them: this is a test of stores alone.
  ///
  /// - Throws: `ConformanceFailure` naming the seed and the request.
  public static func related(
    _ count: Int, seed: UInt64, on provider: any StoreProvider
  ) async throws {
    try await offThePool {
      for round in 0..<UInt64(max(1, (count + 49) / 50)) {
        try RelatedRound(seed: seed &+ round, provider).run(min(count, 50))
      }
    }
  }
}

/// One random content and what is asked of it.
private struct RelatedRound {
  let seed: UInt64
  let provider: any StoreProvider

  init(seed: UInt64, _ provider: any StoreProvider) {
    self.seed = seed
    self.provider = provider
  }

  func run(_ count: Int) throws {
    var random = RandomSource(seed: seed)
    let schema = try Schema(
      Team.self, Coach.self, Player.self, League.self, Folder.self, Shelf.self, Volume.self)
    var options = StoreOptions()
    options.durability = .off
    let store = try provider.make(schema: schema, options: options)
    defer { try? store.close() }
    let content = RelatedContent(store.schema, &random)
    try content.fill(store)
    var requests = RelatedRequests(store.schema, random)
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    for _ in 0..<count {
      let (request, question) = requests.request()
      try compare("\(question)", try RelatedLoops(content: content).answer(question)) {
        try reader.all(request)
      }
    }
    reader.end()
    for _ in 0..<count / 5 { try change(store, content, &requests) }
  }

  private func compare(
    _ subject: String, _ expected: @autoclosure () throws -> [[StoredValue]],
    _ got: () throws -> [[StoredValue]]
  ) throws {
    let expected = Result { try expected() }
    let got = Result { try got() }
    switch (expected, got) {
    case (.success(let expected), .success(let got)):
      if StoredValue.array(expected.map { .array($0) })
        .isIdentical(to: .array(got.map { .array($0) }))
      {
        return
      }
    case (.failure(let expected as StoreError), .failure(let got as StoreError)):
      if expected.code == got.code { return }
    default: break
    }
    throw ConformanceFailure(
      name: "requests over related rows", clauses: ["2.7", "2.8", "2.9"], store: provider.name,
      subject: "seed \(seed): \(subject)", expected: "\(expected)", got: "\(got)",
      place: "\(#fileID):\(#line)")
  }

  /// Updates or deletes what a request selects, looks, and forgets it again.
  private func change(
    _ store: any Store, _ content: RelatedContent, _ requests: inout RelatedRequests
  ) throws {
    var question = requests.request().naive
    question.output = .rows
    (question.limit, question.offset) = (nil, 0)
    question.sort = question.entity.keyAttributes.map { SortTerm(.attribute($0)) }
    let entity = question.entity
    let assignment = requests.random.chance(2) ? requests.assignment(of: entity) : nil
    let loops = RelatedLoops(content: content)
    func expected() throws -> [[StoredValue]] {
      let selected = try loops.answer(question).map { entity.key(of: $0) }
      return try (content.rows[entity.name] ?? []).compactMap { row in
        guard selected.contains(entity.key(of: row)) else { return row }
        guard let assignment else { return nil }
        var row = row
        row[assignment.column] = try loops.value(
          assignment.value, [0: (entity: entity, row: row)])
        if row[assignment.column].isNull && !entity.columns[assignment.column].isOptional {
          throw StoreError(.missingValue, "nil where none may be")
        }
        return row
      }
    }
    let writer = try store.writer(WriteTurn())
    defer { writer.end() }
    try compare("change \(question), \(assignment?.value.description ?? "delete")", try expected())
    {
      var bindings = question.request.bindings
      let value = assignment?.value.parameterized(into: &bindings)
      let request = FetchRequest(question.request.shape, bindings: bindings)
      if let assignment, let value {
        _ = try writer.apply(
          .update(request, [.init(column: assignment.column, value: value)]))
      } else {
        _ = try writer.apply(.delete(request))
      }
      return try writer.all(
        FetchRequest(
          entity: entity.name, sort: entity.keyAttributes.map { SortTerm(.attribute($0)) }))
    }
  }
}

extension StoreReader {
  /// Every row that a request gives.
  fileprivate func all(_ request: FetchRequest) throws -> [[StoredValue]] {
    var rows = AllRows()
    try visit(request, &rows)
    return rows.rows
  }
}

private struct AllRows: RowVisitor {
  var rows: [[StoredValue]] = []

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows.append(try BufferedRow(copying: row).values)
    return .next
  }
}
