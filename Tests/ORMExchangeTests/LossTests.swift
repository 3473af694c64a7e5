import Foundation
import ORMExchange
import TestSupport
import Testing

/// What a mapping does not carry both ways.
@Suite struct LossTests {
  let folder = TestFolder()

  private func losses<Model>(_ mapping: JSONMapping<Model>) throws -> [String] {
    try mapping.losses.map(\.description).sorted()
  }

  @Test func plainMappingsLoseNothing() throws {
    #expect(try losses(JSONMapping(Snack.self, names: .snakeCase, unknown: .refuse)) == [])
    #expect(try losses(JSONMapping(Sample.self)) == [])
    #expect(try losses(JSONMapping(Customer.self).field(\.home, from: "a.b")) == [])
    #expect(try losses(JSONMapping(Player.self)) == [])
    #expect(try losses(JSONMapping(Team.self)) == ["players is not written"])
    #expect(try losses(JSONMapping(Team.self).keys(\.players)) == [])
    #expect(try losses(JSONMapping(Team.self).nested(\.players)) == [])
  }

  @Test func everyLossHasAReason() throws {
    let snack = JSONMapping(Snack.self)
      .leaveOut(\.stock).leaveOut(\.tags, when: .reading)
      .field(\.added, as: .date(.milliseconds)).field(\.taste, onNull: .refuse)
      .field(\.name, from: "title", when: .reading)
      .field(
        \.price,
        as: .custom("cents") {
          $0.double
        } write: {
          .number("\($0)")
        }
      )
      .field(\.isVegan, as: .boolean(writesNumber: true), when: .writing)
    #expect(
      try losses(snack) == [
        "added is rounded", "isVegan is not read in the form in which it is written",
        "name is not read from where it is written",
        "price is made by the closures of 'cents'", "stock is not read", "stock is not written",
        "tags is not read", "taste is not carried where it is nil",
      ])
    let exact = JSONTransform<Double>.custom("same", isExact: true) {
      $0.double
    } write: {
      .number("\($0)")
    }
    #expect(try losses(JSONMapping(Snack.self).field(\.price, as: exact)) == [])
    #expect(
      try losses(JSONMapping(Snack.self).before { _ in .keep })
        == ["the record is made by the closures of 'before'"])
    // A source that comes before has what another attribute writes.
    #expect(
      try losses(JSONMapping(Snack.self).field(\.taste, from: "flavour", "name", when: .reading))
        == ["taste is not read from where it is written"])
    #expect(
      try losses(JSONMapping(Snack.self).keyed(\.name))
        == ["name is a member's name, in JSON alone"])
    #expect(
      try losses(JSONMapping(Snack.self, unknown: .refuse).leaveOut(\.stock, when: .reading))
        == ["stock is not read", "the record has members that are written and refused"])
    let flat = JSONMapping(Customer.self)
      .field(\.work!.street, from: "street").field(\.work!.city, from: "city")
    #expect(try losses(flat) == [])
    #expect(
      try losses(flat.leaveOut(\.work!.street))
        == [
          "work is not carried where it is nil", "work.street is not read",
          "work.street is not written",
        ])
  }

  @Test func lossesOfTargetsHaveTheirPath() throws {
    let player = JSONMapping(Player.self).leaveOut(\.fullName, when: .writing)
    #expect(
      try losses(JSONMapping(Team.self).nested(\.players, with: player))
        == ["players.fullName is not written"])
    let keyless = JSONMapping(Player.self).leaveOut(\.id)
    #expect(
      try losses(JSONMapping(Team.self).nested(\.players, as: .link, with: keyless))
        == ["players leads to targets whose keys are not carried"])
    #expect(
      try losses(JSONMapping(Product.self).nested(\.maker, as: .linkBy(\.code)).leaveOut(\.related))
        == [
          "maker is not carried where it is nil", "related is not read", "related is not written",
        ])
  }

  @Test func everyMappingOfATargetIsLookedAt() throws {
    let noted = JSONMapping(Maker.self).leaveOut(\.name)
    let coded = JSONMapping(Maker.self).leaveOut(\.code, when: .writing)
    let product = JSONMapping(Product.self).nested(\.maker, with: noted)
      .leaveOut(\.parent, \.related, \.name)
    let own = [
      "name is not read", "name is not written", "parent is not read", "parent is not written",
      "related is not read", "related is not written",
    ]
    #expect(
      try losses(product.nested(\.donor, with: coded))
        == (own + [
          "donor.code is not written", "maker.name is not read", "maker.name is not written",
        ]).sorted())
    #expect(
      try losses(product.nested(\.donor, with: noted))
        == (own + [
          "donor.name is not read", "donor.name is not written", "maker.name is not read",
          "maker.name is not written",
        ]).sorted())
    // Another mapping of the same model does not write what this one does.
    #expect(
      try losses(JSONMapping(Folder.self).nested(\.children))
        == ["children.children is not written"])
    #expect(
      try losses(JSONMapping(Product.self).nested(\.maker, as: .linkBy(\.name)).keys(\.related))
        == [
          "maker is not carried where it is nil",
          "maker leads to targets by a value that others may have too",
        ])
  }

  /// A mapping with rules that lose, and the attributes that rules concern.
  private func mapping(_ random: inout SeededGenerator) -> JSONMapping<Sample> {
    var mapping = RandomMappingTests.mapping(&random, hasHooks: false)
    func maybe() -> Bool { Int.random(in: 0..<3, using: &random) == 0 }
    let directions: [JSONDirection] = [.always, .reading, .writing]
    func direction() -> JSONDirection { directions.randomElement(using: &random) ?? .always }
    if maybe() { mapping = mapping.leaveOut(\.tiny, \.float, when: direction()) }
    if maybe() { mapping = mapping.field(\.double, from: "x", "byte", when: direction()) }
    if maybe() { mapping = mapping.field(\.byte, from: "y.z", when: direction()) }
    if maybe() { mapping = mapping.field(\.words, onNull: .refuse, onAbsent: .setNil) }
    if maybe() { mapping = mapping.field(\.token, onNull: .keep, when: direction()) }
    if maybe() {
      mapping = mapping.field(\.big, as: .number(writesText: true), when: direction())
    }
    if maybe() { mapping = mapping.leaveOut(\.info, when: direction()) }
    return mapping
  }

  @Test(
    "12.12 What a mapping does not list as lost is the same after an export and an import",
    arguments: ImportStore.allCases)
  func property(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let store = try kind.open(folder)
    var lost = 0
    for round in 0..<40 {
      let mapping = mapping(&random)
      // Random rules may write two attributes to one member.
      guard storeError({ try mapping.check() }) == nil else { continue }
      let losses = try mapping.losses
      lost += losses.count
      let names = Set(losses.compactMap(\.property))
      try store.deleteAll(Sample.self)
      try store.save((0..<8).map { _ in RandomMappingTests.sample(&random) })
      let stored = try store.fetch(Sample.all)
      let path = folder.file("\(round).jsonl")
      try store.export(Sample.all, to: .jsonLines(path), mapping: mapping)
      try store.deleteAll(Sample.self)
      let error = storeError {
        try store.import(Sample.self, from: .jsonLines(.file(path))) { $0.mapping = mapping }
      }
      if losses.isEmpty { #expect(error == nil) }
      if error != nil { continue }
      let found = try store.fetch(Sample.all)
      #expect(found.count == stored.count)
      for (a, b) in zip(stored, found) {
        let differences = try Mapper.differences(a, b).filter { !names.contains($0) }
        #expect(differences == [], "\(losses)")
      }
    }
    #expect(lost > 0)
  }
}
