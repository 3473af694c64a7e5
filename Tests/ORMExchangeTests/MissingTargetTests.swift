import Foundation
import ORMExchange
import TestSupport
import Testing

/// Links that are found by an attribute, and links whose targets never come.
@Suite struct MissingTargetTests {
  let folder = TestFolder()
  let other = TestFolder()

  private static let byCode = JSONMapping(Product.self)
    .nested(\.parent, from: "parent", as: .linkBy(\.code))
    .nested(\.maker, from: "maker", as: .linkBy(\.code))
    .nested(\.related, from: "related", as: .linkBy(\.code))

  private func links(_ store: any Store) throws -> [String] {
    try store.fetch(Product.all.prefetch(\.related)).map { product in
      let related = (product.related.loaded ?? []).map(\.id).sorted()
      return "\(product.id) \(product.name) \(product.parent.id ?? 0) \(product.maker.id ?? 0) "
        + "\(related)"
    }
  }

  @Test(
    "12.4 Targets are found by an attribute, whatever the order of records",
    arguments: ImportStore.allCases)
  func byAttribute(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let (store, sorted) = (try kind.open(folder), try kind.open(other))
    for store in [store, sorted] {
      try store.save((0..<5).map { Maker(code: "m\($0)", name: "maker") })
    }
    // The parent of each product and what it is related to have smaller numbers.
    let lines = (1...1_200).map { id in
      let parent = id == 1 ? "null" : "\"p\(Int.random(in: 1..<id, using: &random))\""
      let maker =
        Bool.random(using: &random)
        ? "{\"code\":\"m\(Int.random(in: 0..<5, using: &random))\",\"x\":1}" : "null"
      let related = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        "\"p\(Int.random(in: 1...id, using: &random))\""
      }
      return "{\"id\":\(id),\"code\":\"p\(id)\",\"name\":\"n\(id)\",\"parent\":\(parent),"
        + "\"maker\":\(maker),\"related\":[\(related.joined(separator: ","))]}"
    }
    func run(_ store: any Store, _ lines: [String]) throws -> ImportReport {
      try store.import(Product.self, from: .jsonLines(.text(lines.joined(separator: "\n")))) {
        $0.mapping = Self.byCode
      }
    }
    let expected = try run(sorted, lines)
    let report = try run(store, lines.shuffled(using: &random))
    #expect((report.inserted, expected.inserted) == (1_200, 1_200))
    #expect(report.deferred > 0)
    #expect(try links(store) == links(sorted))
    let parents = try sorted.fetch(Product.all).map { $0.parent.id }
    for (id, line) in lines.enumerated() where id > 0 {
      let code = try JSONValue(parsing: line)["parent"].string
      #expect(parents[id].map { "p\($0)" } == code)
    }
    // What is there already is not changed, and written again the same.
    #expect(try run(store, lines).unchanged == 1_200)
  }

  @Test("Rows by names find targets by an attribute", arguments: ImportStore.allCases)
  func byAttributeOfRows(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let store = try kind.open(folder)
    try store.save([Maker(code: "a"), Maker(code: "b")])
    let map =
      #"{"links":{"parent":{"as":"linkBy","by":"code"},"maker":{"from":["by"],"as":"linkBy","by":"code"}}}"#
    let mapping = try JSONDecoder().decode(DynamicMapping.self, from: Data(map.utf8))
    var lines = (1...1_100).map {
      "{\"id\":\($0),\"code\":\"p\($0)\",\"parent\":\"p\($0 % 1_100 + 1)\",\"by\":\"ab\"}"
        .replacing("ab", with: $0 % 2 == 0 ? "a" : "b")
    }
    lines.shuffle(using: &random)
    try store.import(entity: "Product", from: .jsonLines(.text(lines.joined(separator: "\n")))) {
      $0.mapping = mapping
    }
    let found = try store.fetch(Product.all)
    let parents: [Int64?] = (1...1_100).map { $0 % 1_100 + 1 }
    let makers: [Int64?] = (1...1_100).map { $0 % 2 == 0 ? 1 : 2 }
    #expect(found.map { $0.parent.id } == parents)
    #expect(found.map { $0.maker.id } == makers)
  }

  @Test("Records that need their target wait for it", arguments: ImportStore.allCases)
  func requiredInAnyOrder(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let (store, sorted) = (try kind.open(folder), try kind.open(other))
    try [store, sorted].forEach { try $0.save((1...20).map { Product(id: $0, code: "p\($0)") }) }
    // Of records with one key the later counts, although an earlier one waits.
    var expected: [Int64: (Int, Int64)] = [:]
    let lines = (0..<300).map { number in
      let id = Int64.random(in: 1...200, using: &random)
      let product = Int64.random(in: 1...20, using: &random)
      expected[id] = (number, product)
      return "{\"id\":\(id),\"amount\":\(number),\"product\":{\"code\":\"p\(product)\"}}"
    }
    let mapping = JSONMapping(Order.self).nested(\.product, as: .linkBy(\.code))
    try store.import(Order.self, from: .jsonLines(.text(lines.joined(separator: "\n")))) {
      $0.mapping = mapping
    }
    let orders = try store.fetch(Order.all)
    #expect(orders.count == expected.count)
    for order in orders {
      #expect(order.amount == expected[order.id]?.0)
      #expect(order.product.id == expected[order.id]?.1)
    }
  }

  @Test(
    "The later of two records counts, although the first waits", arguments: ImportStore.allCases)
  func laterThanWaiting(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save(Product(id: 1))
    // The target of the first is created by the nested object of a later record.
    let nested = JSONMapping(Order.self).nested(\.product, from: "product")
    let text = """
      {"id":1,"amount":1,"product":9}
      {"id":1,"amount":2,"product":1}
      {"id":2,"amount":3,"product":{"id":9}}
      """
    try store.import(Order.self, from: .jsonLines(.text(text))) { $0.mapping = nested }
    #expect(try store.fetch(Order.all).map(\.amount) == [2, 3])
    #expect(try store.fetch(Order.all).map { $0.product.id } == [1, 9])
  }

  private func run(
    _ store: any Store, _ text: String, _ treatment: ImportMissingTargets,
    mapping: JSONMapping<Product> = JSONMapping(Product.self).keys(\.related)
  ) -> StoreError? {
    storeError {
      try store.import(Product.self, from: .json(.text(text))) {
        $0.mapping = mapping
        $0.missingTargets = treatment
      }
    }
  }

  @Test("A link without a target is cleared", arguments: ImportStore.allCases)
  func clear(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save([Product(id: 1), Product(id: 2, parent: .key(1))])
    let text = #"[{"id":2,"parent_id":9,"related":[1,8,3]},{"id":3,"related":[2]}]"#
    #expect(run(store, text, .fail)?.code == .missingTarget)
    #expect(try store.count(Product.self) == 2)
    #expect(run(store, text, .clear) == nil)
    #expect(try links(store) == ["1  0 0 []", "2  0 0 [1, 3]", "3  0 0 [2]"])
    let byCode = #"[{"id":2,"parent":"none","related":["c","x"]},{"id":3,"code":"c"}]"#
    #expect(run(store, byCode, .clear, mapping: Self.byCode) == nil)
    #expect(try links(store) == ["1  0 0 []", "2  0 0 [3]", "3  0 0 [2]"])
    let required = storeError {
      try store.import(Order.self, from: .json(.text(#"{"id":1,"product_id":77}"#))) {
        $0.missingTargets = .clear
      }
    }
    #expect(required?.code == .missingTarget)
    try store.import(entity: "Product", from: .json(.text(#"[{"id":3,"parent_id":50}]"#))) {
      $0.missingTargets = .clear
    }
    #expect(try store.find(Product.self, 3)?.parent.id == nil)
  }

  @Test("A link keeps the key of a target that never came", arguments: ImportStore.allCases)
  func keepKey(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save(Product(id: 1))
    let text = #"[{"id":1,"donor_id":70,"name":"a"},{"id":2,"donor_id":71,"parent_id":1}]"#
    #expect(run(store, text, .keepKey) == nil)
    let found = try store.fetch(Product.all)
    #expect(found.map { $0.donor.id } == [70, 71])
    #expect(found.map(\.name) == ["a", ""])
    #expect(found[1].parent.id == 1)
    try store.save(Maker(id: 71, name: "late"))
    #expect(try store.fetch(Product.where { $0.donor.name == "late" }).map(\.id) == [2])
    let error = run(store, #"[{"id":3,"parent_id":99}]"#, .keepKey)
    #expect((error?.code, error?.attributes) == (.invalidMapping, ["parent"]))
    try store.import(entity: "Product", from: .json(.text(#"[{"id":1,"donor_id":80}]"#))) {
      $0.missingTargets = .keepKey
    }
    #expect(try store.find(Product.self, 1)?.donor.id == 80)
  }

  @Test("A target that never came is created with its key alone", arguments: ImportStore.allCases)
  func create(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let text =
      #"[{"id":1,"maker_id":70,"parent_id":2,"related":[5,6]},{"id":2,"maker_id":70}]"#
    #expect(run(store, text, .create) == nil)
    #expect(
      try links(store)
        == ["1  2 70 [5, 6]", "2  0 70 []", "5  0 0 []", "6  0 0 []"])
    #expect(try store.fetch(Maker.all) == [Maker(id: 70)])
    let byCode = #"[{"id":1,"maker":{"code":"new"},"parent":null,"related":[]}]"#
    #expect(run(store, byCode, .create, mapping: Self.byCode) == nil)
    let maker = try #require(try store.fetch(Maker.where { $0.code == "new" }).first)
    #expect(try store.find(Product.self, 1)?.maker.id == maker.id)
    // A team needs a name.
    let error = storeError {
      try store.import(Player.self, from: .json(.text(#"{"id":1,"fullName":"Ann","team_id":4}"#))) {
        $0.missingTargets = .create
      }
    }
    #expect((error?.code, error?.attributes) == (.invalidMapping, ["name"]))
    try store.import(entity: "Product", from: .json(.text(#"[{"id":2,"maker_id":90}]"#))) {
      $0.missingTargets = .create
    }
    #expect(try store.find(Product.self, 2)?.maker.id == 90)
  }

  @Test("Two rows with one value are ambiguous, and no store finds no target")
  func refused() throws {
    let store = try ImportStore.memory.open(folder)
    try store.save([Maker(name: "x"), Maker(name: "x")])
    let byName = JSONMapping(Product.self).nested(\.maker, as: .linkBy(\.name))
    let text = #"[{"id":1,"maker":"x"}]"#
    #expect(run(store, text, .fail, mapping: byName)?.code == .ambiguous)
    #expect(run(store, #"[{"id":1,"maker":5}]"#, .fail, mapping: byName)?.code == .invalidImport)
    #expect(run(store, #"[{"id":1,"maker":"y"}]"#, .fail, mapping: byName)?.code == .missingTarget)
    let error = storeError { _ = try byName.decode(text) }
    #expect(error?.message.contains("in a store alone") == true)
    #expect(try byName.decode(#"[{"id":1,"maker":null}]"#)[0].maker.isLoaded)
    let product = Product(id: 1, maker: .to(Maker(id: 3, name: "y")))
    #expect(try byName.json(of: product)["maker"] == "y")
    #expect(try byName.json(of: Product(id: 1, maker: .key(3))).members?["maker"] == nil)
  }
}
