internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension RandomRun {
  /// Writes of every kind to owners and targets of derived attributes, each of which is worked out
  /// from the objects after each step.
  public static let derived = RandomRun("derived", ["4.1", "5.6"], usualCount: 60) { round in
    let store = try round.store(Schema.guilds)
    let run = DerivedRound(store: store, round: round)
    try run.begin()
    try round.measure(store)
    for _ in 0..<round.repetitions(25, ofRows: 200) { try run.step() }
    try round.check(store)
  }
}

/// One sequence of writes.
private struct DerivedRound {
  let store: any Store
  let round: RandomRound

  struct Fault: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
  }

  /// Owners and targets for the steps to meet.
  func begin() throws {
    try store.save([Region(1), Region(2)])
    try store.save([Guild(1), Guild(2), Guild(3)])
    try store.save([Sponsor(1), Sponsor(2)])
    try store.save([Medal(1, "x", 1), Medal(2, "y", 2)])
    try store.save(
      round.largeKeys.map { key in
        Fellow(
          Int64(key), key % 7, weight: Double(key % 9) / 4, fee: Decimal(key % 99) / 100,
          guild: key.isMultiple(of: 5) ? nil : .key(Int64(key % 3 + 1)))
      })
  }

  /// Writes something, which may be refused, and looks at every derived attribute.
  func step() throws {
    let seed = round.random.next()
    var name = ""
    do {
      try store.write { tx in
        var random = SeededGenerator(seed: seed)
        name = try DerivedStep(tx: tx).run(&random)
      }
      round.steps.append(name)
    } catch let error as StoreError {
      round.steps.append("refused: \(error.code.rawValue)")
    } catch is Fault {
      round.steps.append("taken back")
    }
    try compare()
  }

  private func compare() throws {
    let guilds = try store.fetch(
      Guild.all.prefetch(\.members, \.badges, \.lockers))
    let sponsors = Set(try store.fetch(Sponsor.all).map(\.id))
    let contracts = try store.fetch(Contract.all)
    for guild in guilds {
      let members = guild.members.loaded ?? []
      let points = members.compactMap(\.points)
      let badges = guild.badges.loaded ?? []
      let sizes = (guild.lockers.loaded ?? []).map(\.size)
      let linked = contracts.filter { contract in
        contract.guild.id == guild.id && contract.sponsor.id.map(sponsors.contains) == true
      }
      let sum = points.reduce(0, +)
      try same(guild, "memberCount", guild.memberCount, members.count)
      try same(guild, "points", guild.points, sum)
      try same(guild, "least", guild.least, points.min())
      try same(guild, "most", guild.most, points.max())
      try same(guild, "mean", guild.mean, points.isEmpty ? nil : Double(sum) / Double(points.count))
      // Multiples of a quarter: every order of additions is exact.
      try same(guild, "weight", guild.weight, members.compactMap(\.weight).reduce(0, +))
      try same(guild, "fees", guild.fees, members.compactMap(\.fee).reduce(0, +))
      try same(guild, "badgeCount", Int(guild.badgeCount), badges.count)
      try same(guild, "worth", guild.worth, badges.map(\.worth).reduce(0, +))
      try same(guild, "firstBadge", guild.firstBadge, badges.map(\.name).min())
      try same(guild, "sponsorCount", guild.sponsorCount, linked.count)
      try same(guild, "lockerCount", guild.lockerCount, sizes.count)
      try same(guild, "largest", guild.largest, sizes.max())
      try same(guild, "room", guild.room, sizes.reduce(0, +))
    }
    for region in try store.fetch(Region.all) {
      let counts = guilds.filter { $0.region.id == region.id }.map(\.memberCount)
      guard region.people == counts.reduce(0, +), region.fullest == counts.max() else {
        throw Fault(
          text: "region \(region.id): \(region.people), \(String(describing: region.fullest)) "
            + "of \(counts)")
      }
    }
  }

  private func same<Value: Equatable>(
    _ guild: Guild, _ name: String, _ got: Value, _ expected: Value
  ) throws {
    guard got == expected else {
      throw Fault(text: "guild \(guild.id).\(name): \(got) instead of \(expected)")
    }
  }
}

/// One random write.
private struct DerivedStep {
  let tx: WriteTransaction

  /// Writes; gives the step's name.
  func run(_ random: inout SeededGenerator) throws -> String {
    let guild = Int64(random.number(1...4))
    let id = Int64(random.number(1...12))
    switch random.number(0...23) {
    case 0, 1:
      var saved = Guild(guild, "t\(random.number(0...2))", memberCount: 77)
      if random.chance(2) { saved.region = .key(Int64(random.number(1...2))) }
      try tx.save(saved)
      return "save guild \(guild)"
    case 2, 3:
      let count = random.number(1...3)
      try tx.insert(try (0..<count).map { _ in try fellow(0, &random) })
      return "insert \(count) fellows"
    case 4:
      try tx.insert(try fellow(0, &random))
      return "insert a fellow"
    case 5, 6:
      try tx.save(try fellow(id, &random))
      return "save fellow \(id)"
    case 7:
      var saved = Guild(guild)
      saved.members = ToMany(
        try tx.fetch(Fellow.all.where { $0.id > id }) + [try fellow(0, &random)])
      saved.badges = ToMany((1...random.number(1...3)).map { Medal(Int64($0), "m\($0)", $0) })
      if random.chance(2) { saved.lockers = [Locker(id, UInt64(id)), Locker(id + 1, 3)] }
      try tx.save(saved)
      return "save guild \(guild) with all"
    case 8:
      let more = int(Int64(random.number(-3...3)))
      let count = try tx.update(
        DynamicQuery("Fellow", where: attribute("id").compare(.less, int(id))),
        ["points": attribute("points") + more])
      return "raise the points of \(count)"
    case 9:
      let count = try tx.update(
        DynamicQuery("Fellow", where: attribute("id").compare(.less, int(id))),
        ["guild_id": random.chance(3) ? .value(.null) : int(guild)])
      return "move \(count) to guild \(guild)"
    case 10:
      try tx.delete(Fellow.self, id: id)
      try tx.patch(Fellow.self, id + 1, onMissing: .ignore) { $0.points = 2 }
      return "delete fellow \(id), patch the next"
    case 11:
      return "delete \(try tx.delete(Fellow.all.where { $0.points < 1 })) fellows"
    case 12:
      try tx.delete(Guild.self, id: guild)
      return "delete guild \(guild)"
    case 13:
      try tx.save([Medal(id, "n\(random.number(0...9))", random.number(-5...5))])
      return "save medal \(id)"
    case 14:
      if random.chance(2) {
        try tx.attach([Int64(random.number(1...3)), id], to: guild, \Guild.badges)
      } else {
        try tx.detach([Int64(random.number(1...3))], from: guild, \Guild.badges)
      }
      return "attach or detach medals of \(guild)"
    case 15:
      try tx.delete(Medal.self, id: Int64(random.number(1...3)))
      return "delete a medal"
    case 16:
      try tx.save([Sponsor(Int64(random.number(1...3)))])
      try tx.save(
        Contract(
          random.chance(2) ? 0 : id, guild: .key(guild),
          sponsor: .key(Int64(random.number(1...3)))))
      return "save a contract of \(guild)"
    case 17:
      if random.chance(2) {
        try tx.delete(Sponsor.self, id: Int64(random.number(1...3)))
      } else {
        try tx.delete(Contract.self, id: id)
      }
      if random.chance(4) { try tx.deleteAll(Fellow.self) }
      return "delete a sponsor or contract"
    case 20: return "restore \(try tx.restore(Fellow.all.where { $0.id > id })) fellows"
    case 21:
      let medals = try tx.restore(Medal.all)
      return "restore \(medals) medals, \(try tx.restore(Contract.all)) contracts"
    case 22: return "purge \(try tx.purge(Fellow.all.where { $0.id < id })) fellows"
    case 23:
      return "purge \(try tx.purge(Medal.all)) medals, \(try tx.purge(Contract.all)) contracts"
    case 18:
      try tx.save(Locker(id, UInt64(random.number(0...9))))
      if random.chance(2) { try tx.attach([id], to: guild, \Guild.lockers) }
      try tx.delete(Locker.self, id: id + 1)
      return "save locker \(id)"
    default:
      try tx.save(Region(Int64(random.number(1...2))))
      try tx.insert(try fellow(0, &random))
      if random.chance(2) { throw DerivedRound.Fault(text: "taken back") }
      return "save a region"
    }
  }

  private func fellow(_ id: Int64, _ random: inout SeededGenerator) throws -> Fellow {
    let guild = Int64(random.number(1...4))
    let exists = try tx.find(Guild.self, guild) != nil
    return Fellow(
      id, random.chance(4) ? nil : random.number(-4...9),
      weight: random.chance(3) ? nil : Double(random.number(-9...9)) / 4,
      fee: random.chance(3) ? nil : Decimal(random.number(-99...99)) / 100,
      guild: random.chance(5) || !exists ? nil : .key(guild))
  }
}
