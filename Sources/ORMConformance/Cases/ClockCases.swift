internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Clause 5.16: the clock and the UUIDs that a program sets.
  static let clocks: [ConformanceCase] = [
    ConformanceCase("rows have the timestamps of the store's clock", "5.16", "5.9", "5.10") {
      context in
      let clock = SetClock()
      let store = try context.open(Postcard.self, options: clock.options())
      func rows(_ query: Query<Postcard> = Postcard.all) throws -> [String] {
        try store.fetch(query.sorted(by: \.text)).map {
          "\($0.text) \($0.created.seconds) \($0.changed.seconds) \($0.hidden?.seconds ?? 0)"
        }
      }
      clock.set(100)
      try store.save([Postcard("a"), Postcard("b")])
      clock.set(200)
      var b = try context.unwrap(store.one(Postcard.where { $0.text == "b" }), "the second")
      b.text = "c"
      try store.save(b)
      try context.expectEqual(rows(), ["a 100.0 100.0 0.0", "c 100.0 200.0 0.0"])
      clock.set(300)
      try store.update(Postcard.where { $0.text == "a" }) { $0.text = "d" }
      try store.patch(Postcard.self, b.id) { $0.text = "e" }
      try context.expectEqual(rows(), ["d 100.0 300.0 0.0", "e 100.0 300.0 0.0"])
      clock.set(400)
      try store.delete(Postcard.where { $0.text == "d" })
      clock.set(500)
      try store.delete(Postcard.self, id: b.id)
      try context.expectEqual(
        rows(Postcard.all.includingDeleted()), ["d 100.0 400.0 400.0", "e 100.0 500.0 500.0"])
      // Two deletes at one time have two timestamps, so that each can be taken back alone.
      clock.set(600)
      try store.save([Postcard("f"), Postcard("g")])
      try store.delete(Postcard.where { $0.text == "f" })
      try store.delete(Postcard.where { $0.text == "g" })
      let hidden = try store.fetch(
        Postcard.all.onlyDeleted().where { $0.text >= "f" }.sorted(by: \.text))
      try context.expectEqual(hidden.map { $0.hidden?.seconds }, [600, Double(600).nextUp])
      clock.set(700)
      try context.expectEqual(store.restore(Postcard.where { $0.text == "f" }), 1)
      try context.expectEqual(rows(), ["f 600.0 700.0 0.0"])
    },
    ConformanceCase("keys and defaults have the store's UUIDs and timestamps", "5.16", "5.5") {
      context in
      let clock = SetClock()
      let store = try context.open(
        Postcard.self, Token.self, Event.self, options: clock.options())
      clock.set(100)
      try context.expectEqual(store.save(Token(title: "a")).id, clock.uuid(1))
      try context.expectEqual(store.insert(Token(title: "b")).id, clock.uuid(2))
      try context.expectEqual(
        store.save([Token(title: "c"), Token(title: "d")]).keys,
        [clock.uuid(3), clock.uuid(4)])
      try context.expectEqual(store.save(Event(title: "e")).id, clock.uuid(5))
      try store.write { tx in
        try tx.insert([DynamicRow("Token", ["title": .string("f")])])
        try tx.insert([
          DynamicRow("Postcard", ["id": .uuid(clock.uuid(100)), "text": .string("g")])
        ])
      }
      let token = try store.one(Token.where { $0.title == "f" })
      try context.expectEqual(token?.id, clock.uuid(6))
      let card = try context.unwrap(store.find(Postcard.self, clock.uuid(100)), "the card")
      try context.expectEqual(card.code, clock.uuid(7))
      try context.expectEqual(card.written.seconds, 100)
    },
    ConformanceCase("conditions and rules read the store's clock", "5.16", "5.6") { context in
      let clock = SetClock()
      let store = try context.open(Postcard.self, Voucher.self, options: clock.options())
      clock.set(100)
      try store.save(Postcard("a"))
      let past = try Postcard.all.where(Filter(format: "created < now()"))
      try context.expectEqual(store.count(past), 0)
      try store.save(Voucher(id: 1, until: Date(timeIntervalSinceReferenceDate: 150)))
      clock.set(101)
      try context.expectEqual(store.count(past), 1)
      let dynamic = try DynamicQuery("Postcard", in: store.schema, where: "created < now()")
      try context.expectEqual(store.read { try $0.count(dynamic) }, 1)
      try context.expectEqual(store.update(past) { $0.text = "b" }, 1)
      clock.set(200)
      for write: (any Store) throws -> Void in [
        { try $0.save(Voucher(id: 2, until: Date(timeIntervalSinceReferenceDate: 150))) },
        { store in
          try store.update(Voucher.all) { $0.until = Date(timeIntervalSinceReferenceDate: 199) }
        },
      ] {
        let error = try context.expectError(.validationFailed) { try write(store) }
        try context.expectEqual(error.rule, "fresh")
      }
      try store.update(Voucher.all) { $0.until = Date(timeIntervalSinceReferenceDate: 201) }
      try context.expectEqual(store.count(Voucher.self), 1)
    },
    ConformanceCase("changes have the timestamps of the store's clock", "5.16", "11.1", "11.4") {
      context in
      let clock = SetClock()
      var options = StoreOptions.keepingHistory()
      clock.use(in: &options)
      let store = try context.open(Postcard.self, options: options)
      let start = try store.historyToken
      let live = try ChangeSets(store)
      for time in [100.0, 200] {
        clock.set(time)
        try store.save(Postcard("a"))
      }
      try context.expectEqual(live.take().map(\.commit.timestamp.seconds), [100, 200])
      try context.expectEqual(
        store.history(after: start).map(\.commit.timestamp.seconds), [100, 200])
    },
    ConformanceCase("rows get the store's timestamp in an attribute that is added", "5.16", "7.5") {
      context in
      func schema(_ more: AttributeDescription...) throws -> Schema {
        try Schema(entities: [
          EntityDescription(
            name: "Relic", attributes: [AttributeDescription("id", .int64)] + more, key: ["id"])
        ])
      }
      let clock = SetClock()
      clock.set(100)
      var store = try context.open(schema(), options: clock.options())
      try store.write { try $0.insert([DynamicRow("Relic", ["id": .int(1)])]) }
      clock.set(200)
      store = try context.reopen(
        store, schema(AttributeDescription("found", .date, defaultValue: .now)),
        options: clock.options())
      clock.set(300)
      try store.write { try $0.insert([DynamicRow("Relic", ["id": .int(2)])]) }
      try context.expectEqual(
        store.read { try $0.fetch(DynamicQuery("Relic")) }.map { $0["found"] },
        [
          .date(Date(timeIntervalSinceReferenceDate: 200)),
          .date(Date(timeIntervalSinceReferenceDate: 300)),
        ])
    },
  ]
}

/// A clock that stays until it is set, and UUIDs that are numbered.
private final class SetClock: Sendable {
  private let time = Lock(0.0)
  private let number = Lock(UInt8(0))

  func set(_ seconds: Double) { time.withLock { $0 = seconds } }

  /// The UUID of a number, counted from 1.
  func uuid(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
  }

  func use(in options: inout StoreOptions) {
    options.now = { Date(timeIntervalSinceReferenceDate: self.time.withLock { $0 }) }
    options.uuids = {
      self.uuid(
        self.number.withLock { number in
          number += 1
          return number
        })
    }
  }

  func options() -> StoreOptions {
    var options = StoreOptions()
    use(in: &options)
    return options
  }
}

extension Date {
  /// The seconds since the reference date.
  fileprivate var seconds: Double { timeIntervalSinceReferenceDate }
}
