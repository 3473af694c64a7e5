internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension RandomRun {
  /// Writes to a model with rules, hooks, a timestamp and a version, beside a plain dictionary that is
  /// bound by the same contract.
  public static let validation = RandomRun("validation", ["5.1", "5.6"], usualCount: 200) {
    round in
    var run = ValidationRound(store: try round.store(try Schema(Tally.self)), round: round)
    try run.begin()
    for _ in 0..<round.repetitions(30, ofRows: 200) { try run.step() }
  }
}

/// A model with a rule of one attribute and one of two, hooks that count and refuse, a version and a
/// timestamp.
struct Tally: PrimaryKeyed, Codable, Hashable, WriteHooks {
  var id: Int64
  var score: Int
  var most: Int
  var word: String?
  var touched = 0
  var version = 0
  var changed: Date?

  static let entity = Entity<Tally>("Tally") {
    .key("id", \.id)
      .attribute("score", \.score, .range(0...9))
      .attribute("most", \.most)
      .attribute("word", \.word)
      .attribute("touched", \.touched)
      .attribute("version", \.version, .version)
      .attribute("changed", \.changed, .updatedAt)
      .rule("most", "most >= score", "must not be less than the score")
  }

  mutating func willInsert(in transaction: WriteTransaction) throws {
    if word == "no" { throw Refusal() }
    touched = 1
  }

  mutating func willUpdate(from old: Tally, in transaction: WriteTransaction) throws {
    if word == "no" { throw Refusal() }
    touched = old.touched + 1
  }

  func willDelete(in transaction: WriteTransaction) throws {
    if word == "keep" { throw Refusal() }
  }

  /// An error that its hooks throw.
  struct Refusal: Error {}
}

/// The reason that a write is refused for.
private enum Refused: Error, Equatable {
  case hook
  case code(String)

  init(_ error: any Error) {
    if error is Tally.Refusal {
      self = .hook
    } else if let error = error as? StoreError {
      self = .code(error.code.rawValue)
    } else {
      self = .code("\(error)")
    }
  }
}

/// The rows as the contract says they are, without a store.
private struct NaiveTallies {
  var rows: [Int64: Tally] = [:]

  /// Puts objects one after another, as one operation.
  mutating func put(_ tallies: [Tally], _ mode: PutRequest.Mode) throws {
    let before = rows
    var after = rows
    var missing = false
    var duplicate = false
    for tally in tallies {
      if let old = after[tally.id], mode != .insert {
        if let stored = before[tally.id], stored.version != tally.version {
          throw Refused.code("conflict")
        }
        after[tally.id] = try Self.changed(old, to: tally)
      } else if mode == .update {
        missing = true
      } else {
        duplicate = duplicate || after[tally.id] != nil
        var new = tally
        if new.word == "no" { throw Refused.hook }
        new.touched = 1
        new.version = 1
        try Self.check(new)
        after[tally.id] = new
      }
    }
    if missing { throw Refused.code("notFound") }
    if duplicate { throw Refused.code("duplicate") }
    rows = after
  }

  /// A row after a write of other values.
  static func changed(_ old: Tally, to new: Tally) throws -> Tally {
    var row = new
    row.version = old.version
    row.changed = old.changed
    if row == old { return old }
    if row.word == "no" { throw Refused.hook }
    row.touched = old.touched + 1
    row.version = old.version + 1
    try check(row)
    return row
  }

  private static func check(_ tally: Tally) throws {
    guard (0...9).contains(tally.score), tally.most >= tally.score else {
      throw Refused.code("validationFailed")
    }
  }

  /// Changes rows of some keys by a closure, as one operation.
  mutating func change(_ ids: ClosedRange<Int64>, _ body: (inout Tally) -> Void) throws -> Int {
    var after = rows
    let found = rows.keys.filter { ids.contains($0) }.sorted()
    for id in found {
      guard let old = rows[id] else { continue }
      var new = old
      body(&new)
      after[id] = try Self.changed(old, to: new)
    }
    rows = after
    return found.count
  }

  mutating func delete(_ ids: ClosedRange<Int64>) throws -> Int {
    let found = rows.keys.filter { ids.contains($0) }
    if found.contains(where: { rows[$0]?.word == "keep" }) { throw Refused.hook }
    for id in found { rows[id] = nil }
    return found.count
  }
}

/// One sequence of writes.
private struct ValidationRound {
  let store: any Store
  let round: RandomRound
  private var naive = NaiveTallies()
  /// The timestamps of the rows as they were read last.
  private var timestamps: [Int64: Date?] = [:]

  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  init(store: any Store, round: RandomRound) {
    self.store = store
    self.round = round
  }

  /// Inserts the rows of a large round.
  mutating func begin() throws {
    let tallies = round.largeKeys.map {
      Tally(id: Int64($0), score: $0 % 10, most: 12, word: $0.isMultiple(of: 3) ? nil : "a")
    }
    if tallies.isEmpty { return }
    let before = naive
    round.steps.append("insert \(tallies.count) rows")
    try naive.put(tallies, .insert)
    try store.insert(tallies)
    try compare(before)
    try round.measure(store)
  }

  private mutating func tally() -> Tally {
    let id = Int64(round.random.number(1...6))
    let words = ["a", "b", nil, "keep"] + (round.random.chance(6) ? ["no"] : [])
    var tally = Tally(
      id: id, score: round.random.number(0...(round.random.chance(5) ? 12 : 9)),
      most: round.random.number(6...12),
      word: round.random.pick(words))
    let stored = naive.rows[id]
    tally.version = stored?.version ?? 0
    tally.touched = stored?.touched ?? 0
    if let stored, round.random.chance(4) { tally = stored }
    if round.random.chance(6) { tally.version += 1 }
    return tally
  }

  /// Writes something to both, and compares the outcomes.
  mutating func step() throws {
    let before = naive
    var expected: Result<Int, Refused>
    let got: Result<Int, Refused>
    switch round.random.number(0...6) {
    case 0, 1:
      let tallies = (0..<round.random.number(1...3)).map { _ in tally() }
      let mode = round.random.pick([PutRequest.Mode.upsert, .upsert, .insert, .update])
      round.steps.append("\(mode) \(tallies)")
      expected = attempt {
        try $0.put(tallies, mode); return 0
      }
      got = written { tx in
        switch mode {
        case .insert: try tx.insert(tallies)
        case .update: try tx.update(tallies)
        default: try tx.save(tallies)
        }
        return 0
      }
    case 2:
      let tally = tally()
      round.steps.append("save \(tally)")
      expected = attempt {
        try $0.put([tally], .upsert); return 0
      }
      got = written { tx in
        let saved = try tx.save(tally)
        guard try tx.find(Tally.self, tally.id) == saved else {
          throw Fault(description: "what a save gives back is not what is stored")
        }
        return 0
      }
    case 3:
      let id = Int64(round.random.number(1...6))
      let score = round.random.number(0...11)
      round.steps.append("patch \(id) score \(score)")
      expected = attempt { naive in
        guard naive.rows[id] != nil else { throw Refused.code("notFound") }
        return try naive.change(id...id) { $0.score = score }
      }
      got = written { try $0.patch(Tally.self, id) { $0.score = score } }
    case 4:
      let low = Int64(round.random.number(1...6))
      let amount = round.random.number(-2...2)
      round.steps.append("update \(low)... score += \(amount)")
      expected = attempt { try $0.change(low ... .max) { $0.score += amount } }
      got = written {
        try $0.update(Tally.all.where { $0.id >= low }) { $0[\.score] += amount }
      }
    case 5:
      let low = Int64(round.random.number(1...6))
      let word = round.random.pick(["a", "b", nil])
      round.steps.append("update \(low)... word = \(word ?? "nil")")
      expected = attempt { try $0.change(low ... .max) { $0.word = word } }
      got = written { try $0.update(Tally.all.where { $0.id >= low }) { $0.word = word } }
    default:
      let low = Int64(round.random.number(1...6))
      let high = Int64(round.random.number(Int(low)...6))
      round.steps.append("delete \(low)...\(high)")
      expected = attempt { try $0.delete(low...high) }
      got = written { try $0.delete(Tally.all.where { $0.id >= low && $0.id <= high }) }
    }
    guard got == expected else {
      throw Fault(description: "\(got) where it is \(expected)")
    }
    try compare(before)
  }

  private mutating func attempt(_ body: (inout NaiveTallies) throws -> Int) -> Result<Int, Refused>
  {
    var after = naive
    do {
      let count = try body(&after)
      naive = after
      return .success(count)
    } catch {
      return .failure(error as? Refused ?? Refused(error))
    }
  }

  private func written(_ body: (WriteTransaction) throws -> Int) -> Result<Int, Refused> {
    do {
      return .success(try store.write(body))
    } catch {
      return .failure(Refused(error))
    }
  }

  /// The content is the dictionary's; timestamps move with changes, and with nothing else.
  private mutating func compare(_ before: NaiveTallies) throws {
    let stored = try store.fetch(Tally.all)
    var bare = stored
    for index in bare.indices { bare[index].changed = nil }
    let expected = naive.rows.values.sorted { $0.id < $1.id }.map { row in
      var row = row
      row.changed = nil
      return row
    }
    guard bare == expected else { throw Fault(description: "\(bare) where it is \(expected)") }
    for row in stored {
      guard let changed = row.changed else { throw Fault(description: "\(row) has no timestamp") }
      guard let known = timestamps[row.id] ?? nil, let old = before.rows[row.id] else { continue }
      let isMoved = old.version != naive.rows[row.id]?.version
      guard isMoved ? changed >= known : changed == known else {
        throw Fault(description: "the timestamp of \(row) was \(known)")
      }
    }
    timestamps = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0.changed) })
  }
}
