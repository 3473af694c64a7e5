internal import ORM
internal import ORMCore

extension RandomRun {
  /// Requests over related rows, and changes of the rows that such requests select, beside loops over all
  /// rows.
  ///
  /// They are given to the store as core would lower them: a test of stores alone.
  public static let related = RandomRun(
    "related", ["2.7", "2.8", "2.9"], usualCount: 6_000, trialsPerSeed: 50
  ) { round in
    let store = try round.store(
      try Schema(
        Team.self, Coach.self, Player.self, League.self, Folder.self, Shelf.self, Volume.self),
      isFilledBelow: true)
    let content = RelatedContent(store.schema, &round.random, size: round.size)
    try content.fill(store)
    try round.measure(store)
    // The entity with many rows may be one of links, which a measurement leaves out.
    round.counts.formUnion(content.rows.values.map(\.count))
    var requests = RelatedRequestMaker(store.schema, round.random)
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    let count = round.repetitions(round.count, ofRows: 20)
    for _ in 0..<count {
      let (request, question) = requests.request()
      try compare("\(question)", try RelatedLoops(content: content).answer(question)) {
        try reader.all(request)
      }
    }
    reader.end()
    for _ in 0..<count / 5 { try change(store, content, &requests) }
  }

  private static func compare(
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
    throw RandomDifference(subject, expected: "\(expected)", got: "\(got)")
  }

  /// Updates or deletes the rows that a request selects, compares, and undoes it.
  private static func change(
    _ store: any Store, _ content: RelatedContent, _ requests: inout RelatedRequestMaker
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
