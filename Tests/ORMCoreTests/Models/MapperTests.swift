import Foundation
import ORMCore
import Testing

@Suite struct MapperTests {
  @Test("1.1: a model mapped by hand and one mapped by Codable give the same values")
  func handAndCodableAgree() throws {
    let byHand = try Mapper.values(of: ByHand())
    let byCodable = try Mapper.values(of: ByCodable())
    for (position, attribute) in ByHand.entity.description.attributes.enumerated() {
      #expect(byHand[position] == byCodable[position], "\(attribute.name)")
    }
    #expect(byHand[9] == .int(4_294_967_295))
    #expect(byHand[10] == .uint(.max))
    #expect(byHand[12] == .double(Double(Float(0.1))))
    #expect(byHand[16] == .data(Data([9, 8])))
    #expect(byHand[20] == .string("salty"))
    #expect(byHand[21] == .int(2))
    #expect(byHand[22] == .null)
    #expect(byHand[25] == .array([.int(-1), .int(2), .int(3)]))
    #expect(byHand[27] == .string("ff0000"))
    #expect(byHand[28] == .json(#"{"lines":[0.1],"street":"Main"}"#))
    #expect(byHand[29] == .json(#"{"a":1,"b":{"x":2}}"#))
    #expect(byHand[30] == .json(#"["kept","as JSON"]"#))
  }

  @Test("1.2: what comes back is what went in, to the bit")
  func roundTrip() throws {
    let all = EveryType()
    let hand = try Mapper<ByHand>.model(from: Mapper.values(of: ByHand(all)))
    let codable = try Mapper<ByCodable>.model(from: Mapper.values(of: ByCodable(all)))
    #expect(hand.all == all)
    #expect(codable.all == all)
    #expect(hand.all.double.sign == .minus)
    #expect(codable.all.double.sign == .minus)
  }

  @Test("1.3: NaN is refused, naming entity, attribute and key, by both mappings")
  func notANumber() throws {
    var all = EveryType()
    all.double = .nan
    let key = StoredValue.uuid(all.id)
    for fault in [
      #expect(throws: StoreError.self) { try Mapper.values(of: ByHand(all)) },
      #expect(throws: StoreError.self) { try Mapper.values(of: ByCodable(all)) },
    ] {
      #expect(fault?.code == .invalidValue)
      #expect(fault?.entity == "Every")
      #expect(fault?.attributes == ["double"])
      #expect(fault?.key == [key])
    }
    all = EveryType()
    all.doubles = [1, .nan]
    #expect(fault { _ = try Mapper.values(of: ByHand(all)) } == "invalidValue Every.doubles")
    #expect(fault { _ = try Mapper.values(of: ByCodable(all)) } == "invalidValue Every.doubles")
    all = EveryType()
    all.address.lines = [.nan]
    #expect(fault { _ = try Mapper.values(of: ByHand(all)) } == "invalidValue Every.address")
    #expect(fault { _ = try Mapper.values(of: ByCodable(all)) } == "invalidValue Every.address")
  }

  @Test(
    "1.4: a value that is no value of its attribute is a decoding error with its place",
    arguments: [
      ("int8", StoredValue.int(128)), ("uint8", .int(-1)), ("uint16", .int(65536)),
      ("int", .string("1")), ("taste", .string("bitter")), ("level", .int(3)),
      ("string", .null), ("float", .double(0.1)), ("colour", .string("red")),
      ("address", .json("[")), ("plain", .json("{}")), ("strings", .array([.int(1)])),
      ("url", .int(1)), ("data", .string("x")), ("uint64", .int(-1)),
    ])
  func decodingErrors(attribute: String, value: StoredValue) throws {
    var values = try Mapper.values(of: ByHand())
    values[try #require(ByHand.entity.description.position(of: attribute))] = value
    let key = [values[0]]
    for fault in [
      #expect(throws: StoreError.self) { try Mapper<ByHand>.model(from: values) },
      #expect(throws: StoreError.self) { try Mapper<ByCodable>.model(from: values) },
    ] {
      #expect(fault?.code == .decoding)
      #expect(fault?.entity == "Every")
      #expect(fault?.attributes == [attribute])
      #expect(fault?.key == key)
    }
  }

  @Test("a composite key spreads over its attributes; transient properties stay out")
  func compositeAndTransient() throws {
    let enrolment = Enrolment(id: .init(classNumber: 7, studentNumber: 9), seat: nil)
    #expect(try Mapper.values(of: enrolment) == [.int(7), .int(9), .null])
    #expect(try enrolment.id.keyValues() == [.int(7), .int(9)])
    #expect(
      try Mapper<Enrolment>.model(from: [.int(1), .int(2), .string("A")])
        == Enrolment(id: .init(classNumber: 1, studentNumber: 2), seat: "A"))
    var snack = Snack(id: 1, "Chips")
    snack.isSelected = true
    #expect(try Mapper<Snack>.model(from: Mapper.values(of: snack)).isSelected == false)
  }

  @Test("a row of another length, and a column that is not there, are decoding errors")
  func wrongLength() throws {
    #expect(fault { _ = try Mapper<Snack>.model(from: [.int(1)]) } == "decoding Snack")
  }

  @Test("nil inside an array is refused, and nil for a required attribute is missing")
  func nils() throws {
    struct Odd: Persistable, PrimaryKeyed {
      var id: Int64 = 1
      var list: [Int?] = [1, nil]
      static let entity = Entity<Odd>("Odd") {
        .key("id", \.id); .attribute("list", \.list)
      }
      init() {}
      init<R: RowReader & ~Copyable>(row: borrowing R) throws { self.init() }
      func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
        try row.write(id, at: 0)
        if id == 1 { try row.write(list, at: 1) }
      }
    }
    var odd = Odd()
    #expect(fault { _ = try Mapper.values(of: odd) } == "invalidValue Odd.list")
    odd.id = 2
    #expect(fault { _ = try Mapper.values(of: odd) } == "missingValue Odd.list")
  }
}
