internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension RandomRun {
  /// Writes of every kind to models that have rules, hooks, managed attributes, a soft delete, derived
  /// attributes, an embedded struct and data outside, all together.
  public static let promises = RandomRun(
    "promises", ["5.1", "5.3", "5.4", "5.5", "5.6", "5.7", "5.8"], usualCount: 24
  ) { round in
    var run = try PromiseRound(round)
    try run.begin()
    for _ in 0..<round.repetitions(25, ofRows: 200) { try run.step() }
    try run.finish()
  }
}

/// One sequence of writes, on a store and on the naive model.
private struct PromiseRound {
  let store: any Store
  private let round: RandomRound
  private var naive: NaiveSalons
  /// The timestamps of hidden rows, as they were read.
  private var timestamps: [NaiveSalons.Hiding: Date] = [:]
  /// The exhibits and salons as they were read last, with the naive model's values at that time.
  private var read: [String: (created: Int, changed: Int, dates: [Date?])] = [:]

  private struct Undone: Error {}

  init(_ round: RandomRound) throws {
    self.round = round
    let hasTypes = !round.random.chance(3)
    let setup = NaiveSalons.Setup(
      hasTypes: hasTypes, hasVersions: hasTypes || round.random.chance(2),
      hasTimestamps: hasTypes || round.random.chance(2))
    store = try round.store(try Self.schema(setup))
    naive = NaiveSalons(setup)
    round.steps.append("\(setup)")
  }

  private static func schema(_ setup: NaiveSalons.Setup) throws -> Schema {
    let typed = try Schema(Salon.self, Exhibit.self, Occurrence.self)
    if setup.hasTypes { return typed }
    var entities = typed.entities
    for entity in entities.indices {
      for attribute in entities[entity].attributes.indices {
        switch entities[entity].attributes[attribute].role {
        case .version where !setup.hasVersions, .createdAt where !setup.hasTimestamps,
          .updatedAt where !setup.hasTimestamps:
          entities[entity].attributes[attribute].role = nil
        default: break
        }
      }
    }
    return try Schema(entities: entities)
  }

  /// Saves the exhibits of a large round.
  mutating func begin() throws {
    if round.size == nil { return }
    let drafts = round.largeKeys.map { key in
      ExhibitDraft(
        exhibit: Exhibit(Int64(key), ["a", "b", "c"][key % 3], worth: key % 9, most: 12),
        link: .none)
    }
    try store.write { try run(.put(.save, drafts), $0) }
    try compare()
    try round.measure(store)
  }

  /// Runs some operations in one transaction, which may be undone, and compares the content.
  mutating func step() throws {
    let before = naive
    let isUndone = round.random.chance(8)
    let count = round.random.number(1...(round.random.chance(3) ? 3 : 1))
    do {
      try store.write { tx in
        for _ in 0..<count { try operation(tx) }
        if isUndone { throw Undone() }
      }
    } catch is Undone {
      round.steps.append("undone")
      let operation = naive.operation
      naive = before
      naive.operation = operation
    }
    try compare()
  }

  private mutating func operation(_ tx: WriteTransaction) throws {
    var maker = PromiseMaker(random: round.random, naive: naive, timestamps: timestamps)
    let operation = maker.operation()
    round.random = maker.random
    try run(operation, tx)
  }

  private mutating func run(_ operation: PromiseOperation, _ tx: WriteTransaction) throws {
    round.steps.append("\(operation)")
    let timestamps = timestamps
    let expected = naive.attempt { operation.run(on: &$0, timestamps) }
    var got: Result<Int, NaiveRefusal>
    do {
      got = .success(try operation.run(in: tx))
    } catch let fault as PromiseFault {
      throw fault
    } catch {
      got = .failure(NaiveRefusal(faults: [Self.name(of: error)]))
    }
    switch (expected, got) {
    case (.success(let wanted), .success(let count)) where wanted == count: break
    case (.failure(let wanted), .failure(let found)) where found.faults.isSubset(of: wanted.faults):
      round.steps.append("  refused: \(found.faults)")
    default: throw PromiseFault("\(got) where it is \(expected)")
    }
  }

  private static func name(of error: any Error) -> String {
    if error is Exhibit.Refusal { return "hook" }
    guard let error = error as? StoreError else { return "\(error)" }
    let key = error.key.map { if case .int(let id) = $0 { "\(id)" } else { "\($0)" } }
    let object = "\(error.entity ?? "") \(key.joined())"
    switch error.code {
    case .validationFailed:
      let rules = error.failures.map { $0.rule ?? "" }.sorted().joined(separator: ", ")
      return "validationFailed \(object) \(rules)"
    default: return error.code.rawValue
    }
  }

  // MARK: Existing rows

  private mutating func compare() throws {
    let exhibits = try store.fetch(Exhibit.all.includingDeleted())
    let salons = try store.fetch(Salon.all.includingDeleted())
    try same("exhibits", exhibits.map(\.id), naive.exhibits.keys.sorted())
    try same("salons", salons.map(\.id), naive.salons.keys.sorted())
    for exhibit in exhibits {
      guard let row = naive.exhibits[exhibit.id] else { continue }
      let subject = "exhibit \(exhibit.id)"
      try same("\(subject).title", exhibit.title, row.title)
      try same("\(subject).worth", exhibit.worth, row.worth)
      try same("\(subject).most", exhibit.most, row.most)
      try same("\(subject).mount", exhibit.mount, row.mount)
      try same("\(subject).image", exhibit.image, row.image)
      try same("\(subject).touched", exhibit.touched, row.touched)
      try same("\(subject).version", exhibit.version, row.version)
      try same("\(subject).salon", exhibit.salon.id, row.salon)
      try compare(subject, exhibit.hidden, row.hidden)
      try compare(
        subject, (row.created, row.changed, [exhibit.created, exhibit.changed]))
    }
    for salon in salons {
      guard let row = naive.salons[salon.id] else { continue }
      let subject = "salon \(salon.id)"
      try same("\(subject).name", salon.name, row.name)
      try same("\(subject).touched", salon.touched, row.touched)
      try same("\(subject).version", salon.version, row.version)
      try compare(subject, salon.hidden, row.hidden)
      try compare(subject, (0, row.changed, [salon.changed]))
      let worths = naive.seen.values.filter { $0.salon == salon.id }.map(\.worth)
      try same("\(subject).exhibitCount", salon.exhibitCount, worths.count)
      try same("\(subject).worth", salon.worth, worths.reduce(0, +))
      try same("\(subject).dearest", salon.dearest, worths.max())
    }
    let reports = try store.fetch(Occurrence.all).map(\.text)
    try same("the reports of hooks", reports.sorted(), naive.reports.sorted())
    let contents = naive.exhibits.values.compactMap(\.image).filter { $0.count > 100 }
    try same(
      "what is stored outside", try store.externalCounts(),
      Dictionary(contents.map { ($0.count, 1) }, uniquingKeysWith: +))
  }

  private func same<Value: Equatable>(_ subject: String, _ got: Value, _ expected: Value) throws {
    guard got == expected else {
      throw PromiseFault("\(subject) is \(got) where it is \(expected)")
    }
  }

  /// Rows that were hidden together have one timestamp, others another.
  private mutating func compare(
    _ subject: String, _ date: Date?, _ hiding: NaiveSalons.Hiding?
  ) throws {
    guard let hiding else { return try same("\(subject).hidden", date, nil) }
    guard let date else { throw PromiseFault("\(subject) is not hidden") }
    if case .date(let given) = hiding { return try same("\(subject).hidden", date, given) }
    if let known = timestamps[hiding] { return try same("\(subject).hidden", date, known) }
    guard !timestamps.values.contains(date) else {
      throw PromiseFault("\(subject) was hidden now of another operation")
    }
    timestamps[hiding] = date
  }

  /// Timestamps stay where the row was not written, and follow where it was.
  private mutating func compare(
    _ subject: String, _ now: (created: Int, changed: Int, dates: [Date?])
  ) throws {
    defer { read[subject] = now }
    guard naive.setup.hasTimestamps else {
      let given = now.dates.count == 2 ? [Date(timeIntervalSinceReferenceDate: 0), nil] : [nil]
      return try same("the timestamps of \(subject)", now.dates, given)
    }
    guard let changed = now.dates.last ?? nil else {
      throw PromiseFault("\(subject) has no timestamp")
    }
    guard let before = read[subject] else { return }
    if before.created == now.created, now.dates.count == 2 {
      try same("\(subject).created", now.dates[0], before.dates[0])
    }
    guard let known = before.dates.last ?? nil else { return }
    guard before.changed == now.changed ? changed == known : changed >= known else {
      throw PromiseFault("the timestamp of \(subject) is \(changed), and was \(known)")
    }
  }

  /// The store is sound.
  func finish() throws {
    let report = try store.check(decoding: [Salon.self, Exhibit.self, Occurrence.self])
    guard report.isSound, report.overcountedContents == 0 else { throw PromiseFault("\(report)") }
  }
}
