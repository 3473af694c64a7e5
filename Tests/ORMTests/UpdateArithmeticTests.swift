import ORM
import Testing

private struct Odometer: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var far: Int64
  var small: Int8 = 0
  var maybe: Int64?

  static let entity = Entity<Odometer>("Odometer") {
    .key("id", \.id).attribute("far", \.far).attribute("small", \.small)
      .attribute("maybe", \.maybe)
  }
}

@Suite("Integers worked out by updates")
struct UpdateArithmeticTests {
  private func odometer(_ kind: StoreKind, _ odometer: Odometer) throws -> any Store {
    let store = try kind.makeStore(Schema(Odometer.self))
    try store.insert(odometer)
    return store
  }

  @Test(
    "2.6: integers go to both ends of their range, and beyond is overflow",
    arguments: StoreKind.everywhere)
  func ends(_ kind: StoreKind) throws {
    let store = try odometer(kind, Odometer(id: 1, far: .max - 1))
    #expect(try store.update(Odometer.all) { $0[\.far] += 1 } == 1)
    #expect(try store.find(Odometer.self, 1)?.far == .max)
    #expect(fault { try store.update(Odometer.all) { $0[\.far] += 1 } } == "overflow far")
    #expect(fault { try store.update(Odometer.all) { $0[\.far] *= 2 } } == "overflow far")
    #expect(try store.find(Odometer.self, 1)?.far == .max)
    #expect(try store.update(Odometer.all) { $0[\.far] *= -1 } == 1)
    #expect(try store.update(Odometer.all) { $0[\.far] -= 1 } == 1)
    #expect(try store.find(Odometer.self, 1)?.far == .min)
    #expect(fault { try store.update(Odometer.all) { $0[\.far] -= 1 } } == "overflow far")
    #expect(try store.find(Odometer.self, 1)?.far == .min)
  }

  @Test("2.6: narrow integers keep to their range", arguments: StoreKind.everywhere)
  func narrow(_ kind: StoreKind) throws {
    let store = try odometer(kind, Odometer(id: 1, far: 0, small: 126))
    #expect(try store.update(Odometer.all) { $0[\.small] += 1 } == 1)
    #expect(fault { try store.update(Odometer.all) { $0[\.small] += 1 } }.hasSuffix(" small"))
    #expect(try store.find(Odometer.self, 1)?.small == 127)
  }

  @Test(
    "2.6: arithmetic with nil is nil; a row that stays as it is counts as selected",
    arguments: StoreKind.everywhere)
  func missing(_ kind: StoreKind) throws {
    let store = try odometer(kind, Odometer(id: 1, far: 7))
    try store.insert(Odometer(id: 2, far: 7, maybe: 3))
    #expect(try store.update(Odometer.all) { $0[\.maybe] += 1 } == 2)
    #expect(try store.fetch(Odometer.all).map(\.maybe) == [nil, 4])
    #expect(try store.update(Odometer.all.where { $0.far == 7 }) { $0[\.far] += 0 } == 2)
  }
}
