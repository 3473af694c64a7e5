internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Random writes of data stored outside, beside a naive model.
  static let externalRuns: [ConformanceCase] = [
    ConformanceCase("random writes leave the data outside that rows refer to", "5.1", "5.5", "1.9")
    {
      context in
      let given = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
      let seed = given ?? UInt64.random(in: 0 ... .max)
      print("\(context.provider.name), data outside: STRATA_SEED=\(seed)")
      var run = ExternalRun(seed: seed, context: context)
      try run.run(steps: 120)
    }
  ]
}

/// A store and its expected contents.
private struct ExternalRun {
  let context: ConformanceContext
  let seed: UInt64
  var random: SeededGenerator
  var rows: [Int64: Picture] = [:]
  var step = 0

  private struct Undone: Error {}

  init(seed: UInt64, context: ConformanceContext) {
    self.seed = seed
    self.context = context
    random = SeededGenerator(seed: seed)
  }

  mutating func run(steps: Int) throws {
    var store = try context.open(Picture.self, Album.self)
    for number in 1...steps {
      step = number
      if random.chance(20) {
        store = try context.reopen(store, Picture.self, Album.self)
      } else {
        try write(to: store)
      }
      try compare(store, wholly: number % 20 == 0)
    }
  }

  private mutating func write(to store: any Store) throws {
    let before = rows
    var operations: [(WriteTransaction) throws -> Void] = []
    for _ in 0..<random.number(1...4) { operations.append(operation()) }
    let after = rows
    // A part that is undone changes nothing.
    let lost = random.chance(4) ? operation() : nil
    rows = after
    let isUndone = random.chance(6)
    do {
      try store.write { transaction in
        for operation in operations { try operation(transaction) }
        if let lost {
          try? transaction.savepoint { transaction in
            try lost(transaction)
            throw Undone()
          }
        }
        if isUndone { throw Undone() }
      }
    } catch is Undone {
      rows = before
    }
  }

  /// Nil, small or large data, often one that was there before.
  private mutating func image() -> Data? {
    random.chance(5)
      ? nil : Picture.content(random.number(1...9), random.pick([10, 100, 101, 900]))
  }

  private mutating func picture(_ id: Int64) -> Picture {
    Picture(id, "t\(random.number(1...3))", image: image(), raw: [UInt8](image() ?? Data()))
  }

  private mutating func id() -> Int64 { Int64(random.number(1...8)) }

  /// An operation, which the rows follow.
  private mutating func operation() -> (WriteTransaction) throws -> Void {
    switch random.number(1...10) {
    case 1, 2:
      let new = picture(id())
      rows[new.id] = new
      return { try $0.save(new) }
    case 3:
      let batch = (0..<random.number(1...12)).map { _ in picture(id()) }
      for new in batch { rows[new.id] = new }
      return { try $0.save(batch) }
    case 4:
      let title = "t\(random.number(1...3))"
      let new = image()
      for id in rows.keys where rows[id]?.title == title { rows[id]?.image = new }
      return { try $0.update(Picture.all.where { $0.title == title }) { $0.image = new } }
    case 5:
      let new = picture(id())
      if let old = rows[new.id] {
        rows[new.id] = Picture(new.id, new.title, image: new.image ?? old.image, raw: new.raw)
      } else {
        rows[new.id] = new
      }
      return { try $0.save(new, merge: .skippingNil) }
    case 6:
      let new = picture(id())
      if rows[new.id] == nil { rows[new.id] = new }
      return { try $0.save(new, merge: .insertOnly) }
    case 7:
      let id = id()
      rows[id] = nil
      return { try $0.delete(Picture.self, id: id) }
    case 8:
      let title = "t\(random.number(1...3))"
      rows = rows.filter { $0.value.title != title || $0.value.image == nil }
      return {
        try $0.delete(Picture.all.where { $0.title == title && $0.image != nil })
      }
    case 9 where random.chance(3):
      rows = [:]
      return { try $0.deleteAll(Picture.self) }
    default:
      let title = "t\(random.number(1...3))"
      for id in rows.keys where id > 4 { rows[id]?.title = title }
      return { try $0.update(Picture.all.where { $0.id > 4 }) { $0.title = title } }
    }
  }

  private func compare(_ store: any Store, wholly: Bool) throws {
    let subject = "seed \(seed), step \(step)"
    let expected = rows.values.sorted { $0.id < $1.id }
    try context.expectEqual(try store.fetch(Picture.all), expected, subject)
    let contents = expected.flatMap { [$0.image ?? Data(), Data($0.raw)] }.filter { $0.count > 100 }
    let counts = Dictionary(contents.map { ($0.count, 1) }, uniquingKeysWith: +)
    try context.expectEqual(try store.externalCounts(), counts, subject)
    if wholly { try context.expectSound(store, expected, subject) }
  }
}
