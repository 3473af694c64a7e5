internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMMigrations
internal import ORMSessions

/// An operation over every tangle that comes to its end, and leaves the net as it was.
struct LongOperation: Sendable {
  let name: String
  let run: @Sendable (any Store) throws -> Void

  init(_ name: String, _ run: @escaping @Sendable (any Store) throws -> Void) {
    self.name = name
    self.run = run
  }

  static let all: [Self] = [
    Self("a check") { _ = try $0.check() },
    Self("a check of models") { _ = try $0.check(decoding: [Tangle.self]) },
    Self("a fetch") { _ = try $0.fetch(Tangle.all) },
    Self("a sorted fetch") {
      _ = try $0.fetch(Tangle.all.sorted(by: .descending(\.weight), .descending(\.text)))
    },
    Self("groups") { _ = try $0.fetch(Tangle.all.grouped(by: \.id) { $0.sum(\.weight) }) },
    Self("a prefetch") { _ = try $0.fetch(Tangle.all.prefetch(\.fibres).prefetch(\.tassels)) },
    Self("chunks") { try $0.chunks(Tangle.all, size: 50) { _ in } },
    Self("a session") { store in
      let session = Session(store)
      for tangle in try session.fetch(Tangle.all) { tangle.text = "changed" }
      try session.save()
    },
    Self("an update of every row") { try $0.update(Tangle.all) { $0.text = "updated" } },
    Self("a batch that is saved") { store in
      try store.save((1...ConformanceContext.tangles).map { Tangle(Int64($0), text: "batch") })
    },
    Self("graphs that are saved") { store in
      try store.save(
        (1...ConformanceContext.tangles).map {
          Tangle(
            Int64($0), text: "graph", fibres: ToMany([Fibre(1), Fibre(2)]),
            tassels: ToMany([Tassel(Int64($0))]))
        })
    },
    Self("a delete that cascades") { store in
      struct Undone: Error {}
      try store.write { transaction in
        do {
          try transaction.savepoint { inner in
            try inner.delete(Tangle.all.where { $0.id > 0 })
            throw Undone()
          }
        } catch is Undone {}
      }
    },
  ]
}

/// A schema whose versions are reached by each kind of step that changes rows.
enum RowSchema {
  /// The kinds of steps, from version 2 on.
  static let names = ["an index", "a set", "a change of type", "a check", "a closure"]
  static let last = names.count + 1

  static func schema(_ version: Int) throws -> Schema {
    var attributes = [
      AttributeDescription("id", .int64), AttributeDescription("a", version < 4 ? .int64 : .string),
    ]
    if version >= 2 {
      attributes.append(
        AttributeDescription("b", .int64, isOptional: true))
    }
    return try Schema(
      entities: [
        EntityDescription(
          name: "Row", attributes: attributes, key: ["id"],
          indexes: version >= 2 ? [IndexDescription(["a"])] : [])
      ], version: version)
  }

  static func plan(to version: Int) -> MigrationPlan {
    let steps: [MigrationStep] =
      switch version {
      case 3: [.set("b", in: "Row", to: "a * 2")]
      case 4: [.changeType(of: "a", to: .string, in: "Row")]
      case 5: [.check("b >= 0", in: "Row")]
      case 6:
        [.rows(of: "Row", named: "three", revision: 1) { $0["b"] = .int(3) }]
      default: []
      }
    return MigrationPlan([.version(version, steps)])
  }

  /// Expects the rows of a version.
  static func expect(_ version: Int, _ store: any Store, _ context: ConformanceContext) throws {
    let rows = try store.read { try $0.fetch(DynamicQuery("Row")) }
    try context.expectEqual(rows.count, 1_200)
    for row in rows {
      guard case .int(let id) = row["id"] else { continue }
      let a: StoredValue = version < 4 ? .int(id % 100) : .string("\(id % 100)")
      let b: StoredValue = version < 3 ? .null : version < 6 ? .int(id % 100 * 2) : .int(3)
      try context.expectSame([row["a"]], [a], "a of version \(version)")
      if version >= 2 { try context.expectSame([row["b"]], [b], "b of version \(version)") }
    }
  }
}
