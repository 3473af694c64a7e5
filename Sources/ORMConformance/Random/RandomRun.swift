internal import ORM

/// Random schemas, rows and requests: a store beside the reference store, which must give the same
/// rows in the same order, to the last bit, and refuse the same writes.
public enum RandomRun {
  /// Asks so many requests of a provider's stores, 100 over each random schema and content.
  ///
  /// - Throws: `ConformanceFailure` naming the seed, the schema, the request and what differs.
  public static func requests(
    _ count: Int, seed: UInt64, on provider: any StoreProvider
  ) async throws {
    try await offThePool { try ask(count, seed, provider) }
  }

  private static func ask(
    _ count: Int, _ seed: UInt64, _ provider: any StoreProvider
  ) throws {
    for round in 0..<UInt64(max(1, count / 100)) {
      let pair = try Pair(seed: seed &+ round, provider)
      var model = try RandomModel(seed: seed &+ round)
      for _ in 0..<40 { try pair.write(.save([model.row()])) }
      for _ in 0..<100 {
        let query = model.query()
        try pair.compare("\(query)") { try $0.fetch(query) }
        try pair.compare("count of \(query.condition)") {
          [
            DynamicRow(
              "", ["n": .int(Int64(try $0.count(DynamicQuery("Row", where: query.condition))))])
          ]
        }
      }
      try pair.close()
    }
  }

  /// Runs so many random sequences of writes, and compares the whole content after each.
  ///
  /// - Throws: as `requests`.
  public static func sequences(
    _ count: Int, seed: UInt64, on provider: any StoreProvider
  ) async throws {
    try await offThePool { try change(count, seed, provider) }
  }

  private static func change(
    _ count: Int, _ seed: UInt64, _ provider: any StoreProvider
  ) throws {
    for round in 0..<UInt64(max(1, count / 10)) {
      let pair = try Pair(seed: seed &+ round, provider)
      var model = try RandomModel(seed: seed &+ round)
      for _ in 0..<10 {
        for _ in 0..<6 { try pair.write(Write(&model)) }
        try pair.compare("everything") { try $0.fetch(DynamicQuery("Row")) }
      }
      try pair.close()
    }
  }

  private struct Pair {
    let seed: UInt64
    let entity: EntityDescription
    let name: String
    let store: any Store
    let reference: any Store

    init(seed: UInt64, _ provider: any StoreProvider) throws {
      let model = try RandomModel(seed: seed)
      self.seed = seed
      entity = model.entity
      name = provider.name
      store = try provider.make(schema: model.schema, options: StoreOptions())
      reference = try ReferenceStore(schema: model.schema)
    }

    func close() throws {
      try store.shut()
      try reference.shut()
    }

    func compare(
      _ subject: String, _ ask: (ReadTransaction) throws -> [DynamicRow]
    ) throws {
      let expected = try reference.read(ask)
      let got: [DynamicRow]
      do {
        got = try store.read(ask)
      } catch {
        throw failure(subject, expected: "\(expected)", got: "\(error)")
      }
      let isSame =
        got.count == expected.count
        && zip(got, expected).allSatisfy { a, b in
          a.values.count == b.values.count && a.values.allSatisfy { $1.isIdentical(to: b[$0]) }
        }
      guard !isSame else { return }
      let place = zip(got, expected).enumerated().first { $1.0 != $1.1 }?.offset
      throw failure(
        subject + (place.map { ", first at row \($0)" } ?? ""), expected: "\(expected)",
        got: "\(got)")
    }

    func write(_ write: Write) throws {
      let expected = Outcome { try reference.write(write.run) }
      let got = Outcome { try store.write(write.run) }
      guard got.agrees(with: expected, isSingle: write.isSingle) else {
        throw failure("\(write)", expected: "\(expected)", got: "\(got)")
      }
    }

    private func failure(
      _ subject: String, expected: String, got: String
    ) -> ConformanceFailure {
      ConformanceFailure(
        name: "random run, STRATA_SEED=\(seed)", clauses: ["every"], store: name,
        subject: "\(entity)\n  \(subject)\n  ", expected: expected, got: got, place: "RandomRun")
    }
  }

  /// What came of a write.
  private enum Outcome {
    case done(Int)
    case refused(StoreError.Code?)

    init(_ body: () throws -> Int) {
      do {
        self = .done(try body())
      } catch {
        self = .refused((error as? StoreError)?.code)
      }
    }

    /// Of several faults in one batch any may be told; a single row has one.
    func agrees(with other: Outcome, isSingle: Bool) -> Bool {
      switch (self, other) {
      case (.done(let a), .done(let b)): a == b
      case (.refused(let a), .refused(let b)): isSingle ? a == b : a != nil && b != nil
      default: false
      }
    }
  }

  /// One random write, a value that both stores are given.
  enum Write {
    case insert([DynamicRow])
    case save([DynamicRow])
    case update([DynamicRow])
    case change(DynamicQuery, [String: Operand])
    case delete(DynamicQuery)
    case undone([DynamicRow], DynamicQuery)

    init(_ model: inout RandomModel) {
      let rows = (0..<Int.random(in: 1...4, using: &model.random)).map { _ in model.row() }
      switch Int.random(in: 0..<10, using: &model.random) {
      case 0...1: self = .insert(rows)
      case 2...5: self = .save(rows)
      case 6: self = .update(Array(rows.prefix(1)))
      case 7: self = .delete(model.query())
      case 8: self = .undone(rows, model.query())
      default:
        let plain = model.entity.attributes.filter { !model.entity.key.contains($0.name) }
        let attribute = model.random.pick(plain)
        let value =
          attribute.type == .int64 && model.random.chance(2)
          ? Operand.arithmetic(.add, .attribute(attribute.name), .value(.int(1)))
          : .value(model.value(attribute.type))
        self = .change(model.query(), [attribute.name: value])
      }
    }

    var isSingle: Bool {
      switch self {
      case .insert(let rows), .save(let rows), .update(let rows): rows.count == 1
      default: false
      }
    }

    /// Runs the write; what it counts.
    func run(_ transaction: WriteTransaction) throws -> Int {
      switch self {
      case .insert(let rows): return try transaction.insert(rows).inserted
      case .save(let rows): return try transaction.save(rows).total
      case .update(let rows): return try transaction.update(rows).total
      case .change(let query, let values): return try transaction.update(query, values)
      case .delete(let query): return try transaction.delete(query)
      case .undone(let rows, let query):
        struct Undo: Error {}
        do {
          try transaction.savepoint { transaction in
            try transaction.save(rows)
            try transaction.delete(query)
            throw Undo()
          }
        } catch is Undo {}
        return 0
      }
    }
  }
}
