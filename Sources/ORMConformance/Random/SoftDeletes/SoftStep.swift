internal import ORM
internal import ORMObservation

/// One operation on ventures and all that belongs to them.
enum SoftStep {
  case save(SoftGraph.Object, owner: Int64?)
  case stick(Int64, to: [Int64])
  case delete(SoftGraph.Kind, [Int64])
  case restore(SoftGraph.Kind, [Int64])
  case purge(SoftGraph.Kind, [Int64])

  /// The keys there may be of each kind.
  static let ids: ClosedRange<Int> = 1...4

  static func make(_ random: inout SeededGenerator) -> SoftStep {
    func id() -> Int64 { Int64(random.number(ids)) }
    func some() -> [Int64] {
      random.chance(4) ? ids.map { Int64($0) } : random.chance(3) ? [id(), id()] : [id()]
    }
    let kind = random.pick(SoftGraph.Kind.allCases)
    switch random.number(1...10) {
    case 1...5:
      if kind == .sticker {
        return .stick(id(), to: Array(Set((0..<random.number(0...2)).map { _ in id() })).sorted())
      }
      return .save(.init(kind: kind, id: id()), owner: random.chance(5) ? nil : id())
    case 6, 7: return .delete(kind, some())
    case 8, 9: return .restore(kind, some())
    default: return .purge(kind, some())
    }
  }

  /// Does it to the naive model.
  func run(on graph: inout SoftGraph) throws -> Int {
    var copy = graph
    func objects(_ kind: SoftGraph.Kind, _ ids: [Int64]) -> [SoftGraph.Object] {
      ids.map { .init(kind: kind, id: $0) }
    }
    var count = 0
    switch self {
    case .save(let object, let owner):
      try copy.save(object, owner: object.kind.owner == nil ? nil : owner)
    case .stick(let id, let ventures): try copy.stick(id, to: ventures)
    case .delete(let kind, let ids): count = try copy.delete(objects(kind, ids))
    case .restore(let kind, let ids): count = try copy.restore(objects(kind, ids))
    case .purge(let kind, let ids): count = try copy.purge(objects(kind, ids))
    }
    graph = copy
    return count
  }

  /// Does it to a store.
  func run(on store: any Store) throws -> Int {
    switch self {
    case .save(let object, let owner):
      try save(object, owner, store)
      return 0
    case .stick(let id, let ventures):
      try store.save(Sticker("\(id)", ventures: .keys(ventures)))
      return 0
    case .delete(let kind, let ids):
      return try change(kind, ids, Change(store: store, operation: .delete))
    case .restore(let kind, let ids):
      return try change(kind, ids, Change(store: store, operation: .restore))
    case .purge(let kind, let ids):
      return try change(kind, ids, Change(store: store, operation: .purge))
    }
  }

  private func save(_ object: SoftGraph.Object, _ owner: Int64?, _ store: any Store) throws {
    let id = object.id
    switch object.kind {
    case .client: try store.save(Patron(id))
    case .deed:
      var deed = Deed(id, client: 0)
      deed.client = owner.map { .key($0) } ?? nil
      try store.save(deed)
    case .venture: try store.save(Venture(id, client: owner.map { .key($0) } ?? nil))
    case .chore: try store.save(Chore(id, venture: owner.map { .key($0) } ?? nil))
    case .stage: try store.save(Stage(id, chore: owner.map { .key($0) } ?? nil))
    case .memo: try store.save(Jotting(id, venture: owner.map { .key($0) } ?? nil))
    case .leader: try store.save(Leader(id, venture: owner.map { .key($0) } ?? nil))
    case .sticker: break
    }
  }

  private struct Change {
    enum Operation { case delete, restore, purge }
    var store: any Store
    var operation: Operation

    func callAsFunction<Model: PrimaryKeyed>(
      _ model: Model.Type, _ ids: [Model.ID]
    ) throws -> Int where Model.ID: Codable {
      var query = Query<Model>()
      let names = Model.entity.description.key
      query = query.where(
        Filter(
          .isIn(
            .attribute(names[0]),
            list: .value(.array(try ids.flatMap { try $0.keyValues() })), [])))
      switch operation {
      case .delete:
        return ids.count == 1
          ? try store.delete(model, id: ids[0]) ? 1 : 0
          : ids.count == 2 ? try store.delete(model, ids: ids) : try store.delete(query)
      case .restore: return try store.restore(query)
      case .purge: return try store.purge(query)
      }
    }
  }

  private func change(_ kind: SoftGraph.Kind, _ ids: [Int64], _ change: Change) throws -> Int {
    switch kind {
    case .client: try change(Patron.self, ids)
    case .deed: try change(Deed.self, ids)
    case .venture: try change(Venture.self, ids)
    case .chore: try change(Chore.self, ids)
    case .stage: try change(Stage.self, ids)
    case .memo: try change(Jotting.self, ids)
    case .leader: try change(Leader.self, ids)
    case .sticker: try change(Sticker.self, ids.map(String.init))
    }
  }
}
