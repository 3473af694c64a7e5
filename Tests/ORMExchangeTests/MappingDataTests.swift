import Foundation
import ORMExchange
import TestSupport
import Testing

/// Mappings as data, which programs and the command share.
@Suite struct MappingDataTests {
  let folder = TestFolder()

  private func text<Model>(_ mapping: JSONMapping<Model>) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(mapping), as: UTF8.self)
  }

  private func mapping<Model>(_ text: String, _ model: Model.Type) throws -> JSONMapping<Model> {
    try JSONDecoder().decode(JSONMapping<Model>.self, from: Data(text.utf8))
  }

  @Test func theFormHasEveryRule() throws {
    #expect(try text(JSONMapping(Snack.self)) == "{}")
    let snack = JSONMapping(Snack.self, names: .snakeCase, unknown: .refuse)
      .field(\.name, from: "title", "info.name", onAbsent: .refuse)
      .field(\.price, from: "cost", as: .number(writesText: true), when: .writing)
      .field(\.price, as: .number(orText: true), onNull: .useDefault, when: .reading)
      .field(\.added, as: .date(.pattern("dd.MM.yyyy"), .iso8601, .pattern("yyyy")))
      .field(\.taste, as: .cases(["H": "hot", "S": "salty"], otherwise: "other"))
      .field(\.isVegan, as: .boolean(writesNumber: true))
      .leaveOut(\.stock, when: .writing).only(\.id, \.name, \.price, \.added, \.taste, \.isVegan)
      .kind(in: "type", "food", otherwise: .skip).keyed(\.name).leavingOutNulls()
    let data =
      #"{"fields":{"added":{"as":["dd.MM.yyyy","iso8601","yyyy"]},"#
      + #""isVegan":{"as":"booleanAsNumber"},"#
      + #""name":{"from":["title","info.name"],"onAbsent":"refuse"},"#
      + #""taste":{"as":{"cases":{"H":"hot","S":"salty"},"otherwise":"other"}}},"#
      + #""keyedBy":"name","kind":{"in":"type","kinds":["food"],"otherwise":"skip"},"#
      + #""leavesOutNulls":true,"list":"keyed","names":"snakeCase","#
      + #""only":["id","name","price","added","taste","isVegan"],"#
      + #""reading":{"fields":{"price":{"as":"number","onNull":"useDefault"}}},"unknown":"refuse","#
      + #""writing":{"fields":{"price":{"as":"numberAsText","from":["cost"]}},"leaveOut":["stock"]}}"#
    #expect(try text(snack) == data)
    #expect(try text(mapping(data, Snack.self)) == data)
    let team = JSONMapping(Team.self)
      .nested(
        \.players, from: "squad", missing: .keep,
        with: JSONMapping(Player.self).key(\.team, from: "club", as: .number(orText: true))
      ).count(\.players, as: "size")
    let nested =
      #"{"counts":{"players":"size"},"links":{"players":{"from":["squad"],"mapping":{"links":"#
      + #"{"team":{"as":"key","form":"number","from":["club"]}}},"missing":"keep"}}}"#
    #expect(try text(team) == nested)
    #expect(try text(mapping(nested, Team.self)) == nested)
    let product = JSONMapping(Product.self).nested(\.maker, as: .linkBy(\.code))
      .nested(\.parent, as: .link)
    let links = #"{"links":{"maker":{"as":"linkBy","by":"code"},"parent":{"as":"link"}}}"#
    #expect(try text(product) == links)
    #expect(try text(mapping(links, Product.self)) == links)
    let customer = JSONMapping(Customer.self).field(\.home, from: "a.b").leaveOut(\.work!.city)
    let structs = #"{"fields":{"home":{"from":["a.b"]}},"leaveOut":["work.city"]}"#
    #expect(try text(customer) == structs)
    #expect(try text(mapping(structs, Customer.self)) == structs)
  }

  @Test func listsOfTheOnlyPropertiesAreOneList() throws {
    let mapping = JSONMapping(Customer.self).only(\.id, \.name, \.work).only(\.name, \.work!.street)
    let data =
      #"{"leaveOut":["id","home.street","home.city","work.city"],"only":["id","name","work"]}"#
    #expect(try text(mapping) == data)
    let customer = Customer(
      id: 3, name: "a", home: Address(street: "s"), work: Address(street: "t", city: "u"))
    let again = try self.mapping(data, Customer.self)
    #expect(try again.encode(customer) == mapping.encode(customer))
  }

  @Test func closuresAreNamed() throws {
    func fault<Model>(_ mapping: JSONMapping<Model>) -> String? {
      let error = storeError { _ = try text(mapping) }
      #expect(error?.code == .invalidMapping)
      return error.map { "\($0.attributes.first ?? "") \($0.message)" }
    }
    let cents = JSONTransform<Double>.custom("cents") {
      $0.double
    } write: {
      .number("\($0)")
    }
    #expect(
      fault(JSONMapping(Snack.self).field(\.price, as: cents))
        == "price the transform 'cents' is made of closures, which are no data")
    #expect(
      fault(JSONMapping(Snack.self).before { _ in .keep })
        == " the rule 'before' is a closure, which is no data")
    #expect(
      fault(JSONMapping(Snack.self).after { _, _ in .keep })
        == " the rule 'after' is a closure, which is no data")
    #expect(
      fault(JSONMapping(Snack.self).afterWriting { _, _ in })
        == " the rule 'afterWriting' is a closure, which is no data")
    let names = NamingStrategy(entity: { $0 }, attribute: { $0 + "_" })
    #expect(fault(JSONMapping(Snack.self, names: names))?.contains("strategy of names") == true)
    let nested = JSONMapping(Team.self)
      .nested(\.players, with: JSONMapping(Player.self).before { _ in .keep })
    #expect(fault(nested)?.contains("'before'") == true)
    #expect(fault(JSONMapping(Snack.self).field(\.name, from: "[")) != nil)
  }

  @Test func faultsOfDataAreFound() throws {
    func faults(_ data: String) -> [String] {
      let error = storeError { try mapping(data, Snack.self).check() }
      guard let error else { return [] }
      return (error.failures.isEmpty ? [error] : error.failures).map(\.message)
    }
    #expect(faults(#"{"fields":{"nme":{}}}"#).count == 1)
    #expect(faults(#"{"links":{"maker":{}}}"#).count == 1)
    #expect(faults(#"{"leaveOut":["nme"]}"#).count == 1)
    #expect(faults(#"{"fields":{"price":{"as":"hex"}}}"#).count == 1)
    #expect(faults(#"{"fields":{"price":{"as":{"cases":{"a":"x"}}}}}"#).count == 1)
    #expect(faults(#"{"fields":{"price":{"as":{"cases":{"a":1.5}}}}}"#).isEmpty)
    #expect(faults(#"{"fields":{"name":{}},"reading":{"fields":{"name":{}}}}"#).count == 1)
    for data in [#"{"feilds":{}}"#, #"{"fields":{"name":{"form":"text"}}}"#, #"{"names":"x"}"#] {
      #expect(throws: DecodingError.self) { _ = try mapping(data, Snack.self) }
    }
  }

  /// Random mappings say the same after they were written and read.
  @Test func roundTrip() throws {
    var random = SeededGenerator.printed(#function)
    for _ in 0..<100 {
      let first = RandomMappingTests.mapping(&random, hasHooks: false)
      let data = try text(first)
      let second = try mapping(data, Sample.self)
      #expect(try text(second) == data)
      let samples = (0..<3).map { _ in RandomMappingTests.sample(&random) }
      let json = try first.encode(samples)
      #expect(try second.encode(samples) == json)
      #expect(try second.decode(json) == samples)
    }
  }

  @Test("A mapping does the same by names", arguments: ImportStore.allCases)
  func byNames(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let store = try kind.open(folder)
    for round in 0..<8 {
      let mapping = RandomMappingTests.mapping(&random, hasHooks: false)
      let data = try DynamicMapping(mapping)
      try store.deleteAll(Sample.self)
      try store.save((0..<20).map { _ in RandomMappingTests.sample(&random) })
      let stored = try store.fetch(Sample.all)
      let (one, two) = (folder.file("a\(round).jsonl"), folder.file("b\(round).jsonl"))
      try store.export(Sample.all, to: .jsonLines(one), mapping: mapping)
      try store.export(DynamicQuery("Sample"), to: .jsonLines(two), mapping: data)
      #expect(try bytes(one) == bytes(two))
      try store.deleteAll(Sample.self)
      try store.import(entity: "Sample", from: .jsonLines(.file(one))) { $0.mapping = data }
      #expect(try store.fetch(Sample.all) == stored)
    }
  }

  @Test("Structs, kinds, keyed lists and keys by names", arguments: ImportStore.allCases)
  func formsByNames(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let customers = [
      Customer(id: 1, name: "a", home: Address(street: "s", city: "t"), work: nil),
      Customer(id: 2, name: "b", home: Address(street: "u"), work: Address(street: "v", city: "w")),
    ]
    try store.save(customers)
    let path = folder.file("c.json")
    let flat = JSONMapping(Customer.self).field(\.home.street, from: "street").keyed(\.id)
      .kind(in: "is", "customer", otherwise: .skip)
    let data = try DynamicMapping(flat)
    try store.export(DynamicQuery("Customer"), to: .json(path), mapping: data)
    let written = String(decoding: try bytes(path), as: UTF8.self)
    try store.export(Customer.all, to: .json(path), mapping: flat)
    #expect(try String(decoding: bytes(path), as: UTF8.self) == written)
    try store.deleteAll(Customer.self)
    let other = written.replacing("{\n", with: #"{"9":{"is":"x"},"#, maxReplacements: 1)
    let report = try store.import(entity: "Customer", from: .json(.text(other))) {
      $0.mapping = data
    }
    #expect((report.inserted, report.skipped) == (2, 1))
    #expect(try store.fetch(Customer.all) == customers)

    try store.save([Maker(id: 3, code: "m"), Maker(id: 4)])
    let links = DynamicMapping(links: [
      "maker": .init(from: ["by"], as: .link), "donor": .init(from: ["from"], as: .key),
    ])
    try store.import(
      entity: "Product", from: .json(.text(#"[{"id":1,"by":{"id":3},"from":4},{"id":2,"by":4}]"#))
    ) { $0.mapping = links }
    #expect(try store.fetch(Product.all).map { $0.maker.id } == [3, 4])
    #expect(try store.find(Product.self, 1)?.donor.id == 4)
    let nested = DynamicMapping(links: ["maker": .init(), "related": .init(as: .key)])
    let error = storeError {
      try store.import(entity: "Product", from: .json(.text("[]"))) { $0.mapping = nested }
    }
    #expect((error?.code, error?.failures.count) == (.invalidMapping, 2))
  }

  @Test func wordsOfOneDirectionHoldInIt() throws {
    let mapping = JSONMapping(Snack.self)
      .field(\.added, as: .date(.seconds), when: .reading)
      .field(\.added, as: .date(.iso8601), when: .writing)
    let snack = try mapping.decodeOne(#"{"name":"a","added":86400}"#)
    #expect(try mapping.json(of: snack)["added"] == "1970-01-02T00:00:00Z")
    let writing = JSONMapping(Snack.self).field(\.added, as: .date(.seconds), when: .writing)
    #expect(try writing.decodeOne(#"{"name":"a","added":"1970-01-02"}"#).added == snack.added)
  }
}
