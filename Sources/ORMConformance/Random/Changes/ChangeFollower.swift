internal import ORM
internal import ORMCore
internal import ORMObservation

/// Follows a store by its change sets, and holds them against its content.
final class ChangeFollower: Sendable {
  private let store: any Store
  private let level: ChangeLevel
  private let sets: Shared<[ChangeSet]>
  private let observation: ChangeObservation
  private let content: Shared<StoreContent>
  /// The entities of which everything was reported among other commits.
  private let unknown = Shared<Set<String>>([])
  private let numbers = Shared<UInt64>(0)

  init(_ store: any Store, level: ChangeLevel) throws {
    let sets = Shared<[ChangeSet]>([])
    self.store = store
    self.level = level
    self.sets = sets
    content = Shared(try StoreContent(of: store))
    observation = try store.observeChanges(of: nil, level: level) { set in
      sets.change { $0.append(set) }
    }
  }

  /// Throws unless the sets since the last check lead from the content then to the content now.
  ///
  /// At level `values` any number of sets is replayed, each against the content that the sets before
  /// it lead to. At other levels a single set is compared with the difference of the contents.
  func check(_ subject: String) throws {
    store.runtime.transactions.drainNotices()
    let sets = sets.value
    self.sets.change { $0 = [] }
    for set in sets {
      try expect(subject, "numbers rise", set.commit.number > numbers.value)
      numbers.change { $0 = set.commit.number }
      for changes in set.entities {
        let isSorted = zip(changes.rows, changes.rows.dropFirst()).allSatisfy {
          !GroupKeyOrder.isAfter($0.key, $1.key)
        }
        try expect(subject, "rows of \(changes.entity) are sorted", isSorted)
        let own = changes.rows.filter { $0.relationship == nil }.map { GroupKey($0.key) }
        try expect(subject, "\(changes.entity) has each row once", Set(own).count == own.count)
      }
    }
    let before = content.value
    let after = try StoreContent(of: store)
    content.change { $0 = after }
    if sets.count < 2 {
      try compare(sets.first, before.difference(to: after, at: level, hiding: hiding), subject)
    } else if level == .values {
      var replayed = before
      for set in sets { try replay(set, on: &replayed, subject) }
      var rest = replayed.difference(to: after, at: .values, hiding: hiding)
      for name in unknown.value { rest[name] = nil }
      // A link's position is not in a set.
      rest = rest.mapValues { $0.filter { !$0.hasPrefix("moved") } }.filter { !$0.value.isEmpty }
      try RandomDifference.check("\(subject): left after replay", "\(rest)", "[:]")
    }
    unknown.change { $0 = [] }
  }

  /// The attributes of soft deletes by entity.
  private var hiding: [String: String] {
    Dictionary(
      store.schema.everyEntity.compactMap { entity in
        entity.deletedAtAttribute.map { (entity.modelName, $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  private func expect(_ subject: String, _ rule: String, _ holds: Bool) throws {
    if !holds { throw RandomDifference("\(subject): \(rule)", expected: "it holds", got: "not") }
  }

  private func compare(
    _ set: ChangeSet?, _ expected: [String: Set<String>], _ subject: String
  ) throws {
    let got = set?.lines ?? [:]
    for name in Set(expected.keys).union(got.keys).sorted() {
      if level == .entities {
        try expect(subject, "\(name) is reported", expected[name] == nil || got[name] != nil)
        continue
      }
      if let lines = got[name], lines == nil { continue }
      let lines = (got[name] ?? []) ?? []
      try RandomDifference.check(
        lines: lines.sorted(), (expected[name] ?? []).sorted(),
        "\(subject): changes of \(name) at level \(level)")
      if got[name] != nil { try expect(subject, "\(name) has changes", !lines.isEmpty) }
    }
  }

  /// Applies a set to a content.
  ///
  /// The set's claims about the state before must be true of that content.
  private func replay(
    _ set: ChangeSet, on content: inout StoreContent, _ subject: String
  ) throws {
    for changes in set.entities {
      let name = changes.entity
      if changes.isEverything { unknown.change { $0.insert(name) } }
      if unknown.value.contains(name) { continue }
      var after = StoreContent()
      after.rows[name] = content.rows[name]
      after.links[name] = content.links[name]
      var before = after
      for change in changes.rows {
        let key = GroupKey(change.key)
        if let relationship = change.relationship {
          let link = StoreContent.Link(
            relationship: relationship, owner: key, target: GroupKey(change.target))
          switch change.kind {
          case .linked: after.links[name, default: [:]][link] = .null
          case .unlinked: after.links[name, default: [:]][link] = nil
          default: continue
          }
        } else {
          after.rows[name, default: [:]][key] = change.new
        }
      }
      let lines = Set(changes.rows.map(\.line).filter { !$0.hasPrefix("moved") })
      let expected = before.difference(to: after, at: .values, hiding: hiding)[name] ?? []
      try RandomDifference.check(
        lines: lines.sorted(), expected.sorted(),
        "\(subject): commit \(set.commit.number), changes of \(name)")
      before = after
      content.rows[name] = after.rows[name]
      content.links[name] = after.links[name]
    }
  }
}

/// The order of keys for checks.
private enum GroupKeyOrder {
  static func isAfter(_ a: [StoredValue], _ b: [StoredValue]) -> Bool {
    for (a, b) in zip(a, b) {
      let order = StoredValue.order(a, b)
      if order != 0 { return order > 0 }
    }
    return false
  }
}

extension RandomRun {
  /// Sequences of writes, with a follower of the store's change sets at every level.
  ///
  /// After each step, the set is compared with the difference of the whole store before and after.
  static let changes = RandomRun("changes", ["11.1", "11.2", "11.3"], usualCount: 1_000) { round in
    let (entity, rows) = try round.entity(rows: 0...8)
    let level = round.random.pick(ChangeLevel.allCases)
    var maker = RandomConditions(entity: entity, random: round.random)
    try RandomEntity.$current.withValue(RandomEntity(entity)) {
      let run = try RandomStore(entity, round.provider)
      defer { run.closeQuietly() }
      var model = NaiveModel(entity)
      var follower = try ChangeFollower(run.store, level: level)
      _ = try run.fill(rows, &model)
      try follower.check("the first rows")
      try round.measure(run.store)
      for _ in 0..<round.repetitions(12, ofRows: 200) {
        let step = maker.step(over: model.rows)
        round.steps.append("\(step)")
        // Another run compares the store with the naive model.
        if case .reopen = step {
          _ = try run.mismatch(step, &model)
          follower = try ChangeFollower(run.store, level: level)
        } else {
          _ = try run.mismatch(step, &model)
          try follower.check("the step")
        }
      }
      try run.close()
    }
  }
}
