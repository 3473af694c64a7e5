internal import ORM
internal import ORMCore
internal import ORMObservation

/// A random list beside fetches of its query.
private struct RandomList: RandomObserver {
  let name: String
  private let compare: (String) throws -> Void

  init<Model: PrimaryKeyed & Equatable, Section: Sendable, Value: Equatable>(
    _ name: String, _ list: ListObservation<Model, Section>, of query: Query<Model>,
    in store: any Store, value: @escaping (Section) -> Value,
    values: @escaping () throws -> [Value]
  ) throws {
    self.name = name
    let watched = try WatchedList(list, value)
    var isFirst = true
    compare = { subject in
      let changes: [ListChange<Model, Section>]
      do {
        changes = try watched.take()
      } catch let refusal as ListRefusal {
        throw RandomDifference(
          "\(subject): \(name)", expected: "a change that leads to the list",
          got: refusal.description)
      }
      if !isFirst, let empty = changes.first(where: \.steps.isEmpty) {
        throw RandomDifference(
          "\(subject): \(name)", expected: "a change", got: "none to \(empty.list.rows)")
      }
      isFirst = false
      let sections = watched.shown?.sections ?? []
      try RandomDifference.check(
        "\(subject): \(name)", sections.flatMap(\.rows), try store.fetch(query))
      let shown = sections.flatMap { section in section.rows.map { _ in section.value } }
      try RandomDifference.check("\(subject): sections of \(name)", shown, try values())
      for (section, next) in zip(sections, sections.dropFirst()) where section.value == next.value {
        throw RandomDifference(
          "\(subject): \(name)", expected: "each section once", got: "\(section.value) twice")
      }
    }
  }

  /// Throws unless the changes since the last check lead to the rows that the query has.
  func check(_ subject: String) throws { try compare(subject) }
}

extension RandomWatching {
  /// A list of snacks by random sections, of random rows.
  fileprivate mutating func list() throws -> RandomList {
    let (text, body) = filter()
    var query = random.chance(3) ? Snack.all : Snack.all.where { body($0) }
    let delivery: ObservationDelivery = random.chance(3) ? .onEveryCommit : .newest
    let ties: [Query<Snack>.Order] = random.pick([
      [], [.ascending(\.name)], [.descending(\.price)], [.descending(\.id)],
    ])
    switch random.number(0...3) {
    case 0: query = query.limit(random.number(0...5))
    case 1: query = query.page(1, size: random.number(1...3))
    default: break
    }
    let store = store
    func list<Section: AttributeValue & Equatable>(
      _ order: Query<Snack>.Order, _ body: (Fields<Snack>) -> Field<Snack, Section>
    ) throws -> RandomList {
      var query = query
      query.order = [order] + ties
      let values = query.select(body)
      return try RandomList(
        "\(query) [\(text)]", store.observeList(query, delivery, sectionedBy: body), of: query,
        in: store, value: { $0 }, values: { try store.fetch(values) })
    }
    switch random.number(0...7) {
    case 0: return try list(.ascending(\.taste), { $0.taste })
    case 1: return try list(.descending(\.taste, nils: .first), { $0.taste })
    case 2: return try list(.descending(\.stock), { $0.stock })
    case 3: return try list(.ascending(\.name), { $0.name })
    case 4:
      return try list(
        .ascending(\.name, .caseInsensitive), { $0.name.folded(.caseInsensitive) })
    case 5: return try list(.ascending { $0.name.length() }, { $0.name.length() })
    case 6:
      let players = Player.all.sorted(by: .ascending { $0.team.name }, .descending(\.age))
      let values = players.select { $0.team.name }
      return try RandomList(
        "players by team", store.observeList(players, delivery, sectionedBy: { $0.team.name }),
        of: players, in: store, value: { $0 }, values: { try store.fetch(values) })
    default:
      query.order = ties
      let rows = query
      return try RandomList(
        "\(rows) [\(text)]", store.observeList(rows, delivery), of: rows, in: store,
        value: { _ in 0 }, values: { try store.fetch(rows).map { _ in 0 } })
    }
  }
}

extension RandomRun {
  /// Random lists with sections under observation, and random writes.
  ///
  /// Each change is applied to a list view, as steps, as batches and as a difference of rows; all lead
  /// to the query's rows and sections at that time.
  static let lists = RandomRun("lists", ["11.8"], usualCount: 200) { round in
    try round.watch("the first list") { try $0.list() }
  }
}
