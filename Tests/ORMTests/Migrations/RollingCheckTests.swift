import ORM
import ORMMigrations
import Testing

/// Programs of several versions beside each other, as continuous integration asks for them.
@Suite struct RollingCheckTests {
  private func schema(_ version: Int, _ attributes: AttributeDescription...) throws -> StoredSchema
  {
    let entity = EntityDescription(
      name: "Snack", attributes: [.init("id", .int64)] + attributes, key: ["id"])
    return try Schema(entities: [entity], version: version).stored
  }

  @Test("10.10: the check says which versions go on, and what stops the others")
  func reasons() throws {
    let price = AttributeDescription("price", .double)
    let old = try schema(1, price)
    let note = AttributeDescription("note", .string, isOptional: true)
    let plan = MigrationPlan([
      .version(2, [.renameAttribute("price", to: "cost", in: "Snack")]),
      .version(3, [.set("cost", in: "Snack", to: "cost * 2")]),
      .version(4, compatible: .writing(since: 3), [.set("cost", in: "Snack", to: "cost * 2")]),
    ])
    let cost = AttributeDescription("cost", .double)
    var check = try plan.checkRolling(from: old, to: try schema(3, cost, note))
    #expect(check.version == 3)
    #expect(check.programs.map(\.version) == [1, 2])
    #expect(check.programs.map(\.access) == [.none, .writing])
    #expect(
      check.programs.map(\.reasons) == [
        ["version 2, step 1 (rename Snack.price to cost): neither reads nor writes"], [],
      ])
    #expect(check.description.hasPrefix("version 1 beside version 3: neither reads nor writes\n"))
    check = try plan.checkRolling(from: try schema(2, cost), to: try schema(4, cost))
    #expect(check.programs.map(\.access) == [.none, .writing])
    #expect(check.programs.map(\.reasons) == [["writing(since: 3)"], []])
    // An attribute that every writer has to set.
    let made = AttributeDescription("made", .date, defaultValue: .now)
    check = try plan.checkRolling(from: try schema(3, cost), to: try schema(4, cost, made))
    #expect(check.programs.map(\.access) == [.reading])
    #expect(check.programs.map(\.reasons) == [["additions of Snack: may only read"]])
    #expect(try plan.checkRolling(from: old, to: old).programs.isEmpty)
    #expect(throws: StoreError.self) { try plan.checkRolling(from: old, to: try schema(2, note)) }
  }

  @Test("10.10: versions far apart are those that the plan has")
  func farApart() throws {
    let price = AttributeDescription("price", .double)
    let plan = MigrationPlan([.version(20_240_101, []), .version(20_260_101, [])])
    var check = try plan.checkRolling(
      from: try schema(1, price), to: try schema(20_260_101, price))
    #expect(check.programs.map(\.version) == [1, 20_240_101])
    // A number that no schema of a program has, from a file.
    var least = try schema(1, price)
    least.version = .min
    check = try plan.checkRolling(from: least, to: try schema(.max, price))
    #expect(check.programs.map(\.version) == [.min, 20_240_101, 20_260_101])
  }
}
