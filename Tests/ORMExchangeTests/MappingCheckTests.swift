import ORMExchange
import Testing

/// Faults of mappings, each with its attribute.
@Suite struct MappingCheckTests {
  private func faults(_ mapping: JSONMapping<Snack>) -> [String] {
    guard let error = storeError({ try mapping.check() }) else { return [] }
    #expect(error.code == .invalidMapping)
    return (error.failures.isEmpty ? [error] : error.failures).map {
      "\($0.attributes.first ?? "") \($0.message)"
    }
  }

  @Test func goodMappingsHaveNone() throws {
    try Snack.json.check()
    try JSONMapping(Sample.self, names: .snakeCase, unknown: .refuse).check()
    try JSONMapping(Folder.self).nested(\.children).check()
    try JSONMapping(Customer.self).field(\.home, from: "a.b").check()
  }

  @Test func everyFaultIsNamed() {
    let mapping = JSONMapping(Snack.self)
      .field(\.name, from: "a..b")
      .field(\.price, from: "p").field(\.price, from: "q")
      .field(\.stock, as: .date(.iso8601))
      .field(\.taste, from: "t[*]")
      .field(\.name.count, from: "n")
      .leaveOut(\.name.isEmpty)
    let faults = faults(mapping)
    #expect(faults.contains { $0.hasPrefix("name 'a..b' is not a path") })
    #expect(faults.contains("price two fields read one attribute"))
    #expect(faults.contains("price two fields write one attribute"))
    #expect(faults.contains { $0.hasPrefix("stock the transform does not fit") })
    #expect(faults.contains("taste a path with [*] is for an attribute that is an array"))
    #expect(faults.contains { $0.hasPrefix(" the key path of a field is not an attribute") })
    #expect(faults.contains { $0.contains("no property of the entity") })
  }

  @Test func onePathHoldsOneAttribute() {
    let same = JSONMapping(Snack.self).field(\.price, from: "stock")
    #expect(faults(same).contains { $0.hasPrefix("stock stock is written for something else") })
    let reading = JSONMapping(Snack.self).field(\.price, from: "stock", when: .reading)
    #expect(faults(reading).isEmpty)
    let both = JSONMapping(Snack.self)
      .field(\.price, from: "x", when: .reading).field(\.stock, from: "x.y", when: .reading)
    #expect(faults(both) == ["price x is read both as a value and as an object"])
  }

  @Test func mappingsAreCheckedAtTheirUse() {
    let mapping = JSONMapping(Snack.self).field(\.name, from: "")
    #expect(storeError { _ = try mapping.decode("[]") }?.code == .invalidMapping)
    #expect(storeError { _ = try mapping.encode([]) }?.code == .invalidMapping)
    let nested = JSONMapping(Team.self)
      .nested(\.players, with: JSONMapping(Player.self).field(\.fullName, from: "["))
    #expect(
      storeError { _ = try nested.decode(#"[{"name":"a","players":[{}]}]"#) }?.code
        == .invalidMapping)
  }
}
