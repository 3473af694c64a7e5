internal import ORM
internal import ORMObservation

extension RandomRun {
  /// Saves, links and deletes rows whose keys are to-ones: all rows are those of the naive model after
  /// each step.
  public static let linkedKeys = RandomRun(
    "keys of to-ones", ["5.15", "5.7", "5.8"], usualCount: 24
  ) { round in
    let models: [any Persistable.Type] = [
      Performer.self, Production.self, Casting.self, Rehearsal.self, Biography.self,
    ]
    let store = try round.store(try Schema(models: models))
    var theatre = NaiveTheatre()
    try store.save(round.largeKeys.map { Performer(Int64($0)) })
    theatre.performers.formUnion(round.largeKeys.map { Int64($0) })
    try round.measure(store)
    for number in 0..<round.repetitions(30, ofRows: 200) {
      let step = TheatreStep.make(&round.random)
      round.steps.append("\(step)")
      try RandomDifference.check(
        codes: RandomRound.codes { try step.run(on: store) },
        RandomRound.codes { try step.run(on: &theatre) })
      try RandomDifference.check(
        lines: lines(of: store, byPages: round.readsPages(number)), theatre.lines, "the rows")
    }
    try round.check(store, decoding: models)
  }

  /// The rows of a store.
  ///
  /// - Parameter byPages: whether as pages, whose links a store may read with their rows.
  private static func lines(of store: any Store, byPages: Bool) throws -> [String] {
    try store.read { tx in
      var lines = try tx.fetch(Performer.all).map { "performer \($0.id)" }
      lines += try tx.fetch(Production.all).map { "production \($0.id.year)" }
      let castings = Casting.all.prefetch(\.rehearsals)
      lines += try tx.fetch(byPages ? castings.limit(1_000) : castings).map { casting in
        let numbers = (casting.rehearsals.loaded ?? []).map(\.number)
        return "casting \(casting.performer.id ?? 0) \(casting.production.id?.year ?? 0) "
          + "\(casting.fee ?? 0) \(numbers)"
      }
      return lines
    }
  }
}

/// The rows as the contract has them.
struct NaiveTheatre {
  struct Pair: Hashable, Comparable {
    var performer: Int64
    var year: Int

    static func < (a: Pair, b: Pair) -> Bool { (a.performer, a.year) < (b.performer, b.year) }
  }

  var performers: Set<Int64> = []
  var years: Set<Int> = []
  var fees: [Pair: Int] = [:]
  var rehearsals: [Pair: Set<Int>] = [:]

  var lines: [String] {
    performers.sorted().map { "performer \($0)" } + years.sorted().map { "production \($0)" }
      + fees.keys.sorted().map {
        "casting \($0.performer) \($0.year) \(fees[$0] ?? 0) \((rehearsals[$0] ?? []).sorted())"
      }
  }

  /// Deletes the castings that a condition names, with all that the delete rules delete.
  mutating func deleteCastings(_ isDeleted: (Pair) -> Bool) {
    for pair in fees.keys where isDeleted(pair) {
      fees[pair] = nil
      rehearsals[pair] = nil
    }
  }
}

/// One step of the run.
enum TheatreStep: CustomStringConvertible {
  case performer(Int64)
  case production(Int)
  /// Saves castings by keys.
  case castings([(NaiveTheatre.Pair, fee: Int)])
  /// Inserts one.
  case insert(NaiveTheatre.Pair)
  /// Saves a casting with both ends as objects.
  case whole(NaiveTheatre.Pair, fee: Int)
  /// Saves a performer to whom castings are added.
  case append(Int64, [Int], fee: Int)
  /// Attaches a casting to a performer.
  case attach(NaiveTheatre.Pair, to: Int64)
  /// Sets the productions of a performer.
  case productions(Int64, [Int])
  case rehearsal(NaiveTheatre.Pair, Int)
  case raise(Int64)
  case deletePerformer(Int64)
  case deleteProduction(Int)
  case deleteCasting(NaiveTheatre.Pair)

  private struct Refusal: RandomRefusal {
    let codes: Set<StoreError.Code>
  }

  var description: String {
    switch self {
    case .performer(let id): "performer \(id)"
    case .production(let year): "production \(year)"
    case .castings(let list): "castings \(list)"
    case .insert(let pair): "insert \(pair)"
    case .whole(let pair, let fee): "whole \(pair) \(fee)"
    case .append(let id, let years, let fee): "append \(years) \(fee) to \(id)"
    case .attach(let pair, let id): "attach \(pair) to \(id)"
    case .productions(let id, let years): "productions \(years) of \(id)"
    case .rehearsal(let pair, let number): "rehearsal \(pair) \(number)"
    case .raise(let id): "raise \(id)"
    case .deletePerformer(let id): "delete performer \(id)"
    case .deleteProduction(let year): "delete production \(year)"
    case .deleteCasting(let pair): "delete casting \(pair)"
    }
  }

  static func make(_ random: inout SeededGenerator) -> TheatreStep {
    func performer() -> Int64 { Int64(random.number(1...4)) }
    func year() -> Int { random.number(1...4) }
    func pair() -> NaiveTheatre.Pair { .init(performer: performer(), year: year()) }
    func years() -> [Int] { (1...4).filter { _ in random.chance(3) } }
    let fee = random.number(1...3)
    switch random.number(0...15) {
    case 0, 1: return .performer(performer())
    case 2, 3: return .production(year())
    case 4, 5:
      return .castings((0...random.number(0...3)).map { _ in (pair(), fee: random.number(1...3)) })
    case 6: return .insert(pair())
    case 7: return .whole(pair(), fee: fee)
    case 8, 9: return .append(performer(), years(), fee: fee)
    case 10: return .attach(pair(), to: performer())
    case 11: return .productions(performer(), years())
    case 12: return .rehearsal(pair(), random.number(1...3))
    case 13: return .raise(performer())
    case 14: return random.chance(2) ? .deletePerformer(performer()) : .deleteProduction(year())
    default: return .deleteCasting(pair())
    }
  }

  func run(on theatre: inout NaiveTheatre) throws {
    func check(_ pair: NaiveTheatre.Pair) throws {
      guard theatre.performers.contains(pair.performer), theatre.years.contains(pair.year) else {
        throw Refusal(codes: [.missingTarget])
      }
    }
    switch self {
    case .performer(let id): theatre.performers.insert(id)
    case .production(let year): theatre.years.insert(year)
    case .castings(let list):
      for (pair, _) in list { try check(pair) }
      for (pair, fee) in list { theatre.fees[pair] = fee }
    case .insert(let pair):
      // One that exists has its targets.
      guard theatre.fees[pair] == nil else { throw Refusal(codes: [.duplicate]) }
      try check(pair)
      theatre.fees[pair] = 9
    case .whole(let pair, let fee):
      theatre.performers.insert(pair.performer)
      theatre.years.insert(pair.year)
      theatre.fees[pair] = fee
    case .append(let id, let years, let fee):
      guard theatre.years.isSuperset(of: years) else { throw Refusal(codes: [.missingTarget]) }
      theatre.performers.insert(id)
      for year in years { theatre.fees[.init(performer: id, year: year)] = fee }
    case .attach(let pair, let id):
      let isThere = theatre.fees[pair] != nil
      let hasOwner = theatre.performers.contains(id)
      if isThere, hasOwner, pair.performer == id { return }
      var codes: Set<StoreError.Code> = []
      if pair.performer != id { codes.insert(.invalidValue) }
      if !isThere { codes.insert(.missingTarget) }
      if !hasOwner { codes.insert(.notFound) }
      throw Refusal(codes: codes)
    case .productions(let id, let years):
      guard theatre.years.isSuperset(of: years) else { throw Refusal(codes: [.missingTarget]) }
      theatre.performers.insert(id)
      theatre.deleteCastings { $0.performer == id && !years.contains($0.year) }
      for year in years where theatre.fees[.init(performer: id, year: year)] == nil {
        theatre.fees[.init(performer: id, year: year)] = 0
      }
    case .rehearsal(let pair, let number):
      guard theatre.fees[pair] != nil else { throw Refusal(codes: [.missingTarget]) }
      theatre.rehearsals[pair, default: []].insert(number)
    case .raise(let id):
      for pair in theatre.fees.keys where pair.performer == id { theatre.fees[pair] = 5 }
    case .deletePerformer(let id):
      theatre.performers.remove(id)
      theatre.deleteCastings { $0.performer == id }
    case .deleteProduction(let year):
      theatre.years.remove(year)
      theatre.deleteCastings { $0.year == year }
    case .deleteCasting(let pair): theatre.deleteCastings { $0 == pair }
    }
  }

  func run(on store: any Store) throws {
    func production(_ year: Int) -> Production.ID { .init("Rome", year) }
    func casting(_ pair: NaiveTheatre.Pair, fee: Int?) -> Casting {
      Casting(pair.performer, "Rome", pair.year, fee: fee)
    }
    func key(_ pair: NaiveTheatre.Pair) -> Casting.ID {
      .init(pair.performer, production(pair.year))
    }
    switch self {
    case .performer(let id): try store.save(Performer(id))
    case .production(let year): try store.save(Production("Rome", year))
    case .castings(let list): try store.save(list.map { casting($0.0, fee: $0.fee) })
    case .insert(let pair): try store.insert(casting(pair, fee: 9))
    case .whole(let pair, let fee):
      try store.save(
        Casting(
          .to(Performer(pair.performer)), .to(Production("Rome", pair.year)), fee: fee))
    case .append(let id, let years, let fee):
      var performer = Performer(id)
      for year in years {
        performer.castings.append(Casting(ToOne(), .key(production(year)), fee: fee))
      }
      try store.save(performer)
    case .attach(let pair, let id):
      try store.attach([key(pair)], to: id, \Performer.castings)
    case .productions(let id, let years):
      try store.save(Performer(id, productions: .keys(years.map(production))))
    case .rehearsal(let pair, let number):
      try store.save(Rehearsal(number, casting: .key(key(pair))))
    case .raise(let id):
      try store.update(Casting.all.where { $0.performer.id == id }) { $0.fee = 5 }
    case .deletePerformer(let id): try store.delete(Performer.self, id: id)
    case .deleteProduction(let year): try store.delete(Production.self, id: production(year))
    case .deleteCasting(let pair): try store.delete(Casting.self, id: key(pair))
    }
  }
}
