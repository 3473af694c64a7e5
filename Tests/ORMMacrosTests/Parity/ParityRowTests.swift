#if Macros
  internal import Foundation
  internal import ORM
  @testable internal import ORMConformance
  internal import ORMCore
  internal import TestSupport
  internal import Testing

  /// A made model and its overload by hand, whose rows are exchanged.
  struct ParityModels: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Rows go through the code of both.
    let map: @Sendable (_ rows: Int, inout SeededGenerator) throws -> Void
    /// A row that one saves is read by the other.
    let exchange: @Sendable (StoreKind, inout SeededGenerator) throws -> Void

    init<Made: PrimaryKeyed & Equatable, ByHand: PrimaryKeyed>(
      _ made: Made.Type, _ byHand: ByHand.Type
    ) {
      testDescription = Made.entity.description.name
      map = { count, random in
        for number in 0..<count {
          let row = ParityRow.values(of: Made.entity.description, number, &random)
          let kept = try Mapper<ByHand>.values(of: Mapper<ByHand>.model(from: row))
          let made = try Mapper<Made>.values(of: Mapper<Made>.model(from: row))
          #expect(made == kept, "\(Made.entity.description.name) \(row)")
          if ByHand.entity.description.attributes.allSatisfy({ !$0.isNormalized }) {
            #expect(made == row)
          }
        }
      }
      exchange = { kind, random in
        let rows = (0..<20).map { ParityRow.values(of: Made.entity.description, $0, &random) }
        try kind.withTestStore(Schema(Made.self)) { store in
          try store.save(rows.map { try Mapper<Made>.model(from: $0) })
          let read = try store.fetch(ByHand.all)
          #expect(try read.map { try Mapper<ByHand>.values(of: $0) } == rows)
          try store.deleteAll(Made.self)
          try store.save(read)
          #expect(
            try store.fetch(Made.all) == rows.map { try Mapper<Made>.model(from: $0) })
        }
      }
    }

    static let all: [ParityModels] = [
      ParityModels(MacroMade.Snack.self, ORMConformance.Snack.self),
      ParityModels(MacroMade.Everything.self, ORMConformance.Everything.self),
      ParityModels(MacroMade.Anything.self, ORMConformance.Anything.self),
      ParityModels(MacroMade.Measure.self, ORMConformance.Measure.self),
      ParityModels(MacroMade.Garment.self, ORMConformance.Garment.self),
      ParityModels(MacroMade.Bag.self, ORMConformance.Bag.self),
      ParityModels(MacroMade.Word.self, ORMConformance.Word.self),
      ParityModels(MacroMade.Enrolment.self, ORMConformance.Enrolment.self),
      ParityModels(MacroMade.Draft.self, ORMConformance.Draft.self),
      ParityModels(MacroMade.Yard.self, ORMConformance.Yard.self),
      ParityModels(MacroMade.Dish.self, ORMConformance.Dish.self),
    ]

    /// Those whose rows a store would not take as they come: they have rules, and targets.
    static let mapped: [ParityModels] = [
      ParityModels(MacroMade.Room.self, ORMConformance.Room.self),
      ParityModels(MacroMade.Article.self, ORMConformance.Article.self),
      ParityModels(MacroMade.Account.self, ORMConformance.Account.self),
      ParityModels(MacroMade.NormalWord.self, ORMConformance.NormalWord.self),
      ParityModels(MacroMade.Customer.self, ORMConformance.Customer.self),
      ParityModels(MacroMade.Parcel.self, ORMConformance.Parcel.self),
      ParityModels(MacroMade.Plank.self, ORMConformance.Plank.self),
      ParityModels(MacroMade.Picture.self, ORMConformance.Picture.self),
      ParityModels(MacroMade.SportsCar.self, ORMConformance.SportsCar.self),
      ParityModels(MacroMade.Lion.self, ORMConformance.Lion.self),
      ParityModels(MacroMade.Guild.self, ORMConformance.Guild.self),
      ParityModels(MacroMade.Fellow.self, ORMConformance.Fellow.self),
      ParityModels(MacroMade.Contract.self, ORMConformance.Contract.self),
      ParityModels(MacroMade.Desk.self, ORMConformance.Desk.self),
      ParityModels(MacroMade.Paper.self, ORMConformance.Paper.self),
      ParityModels(MacroMade.Coach.self, ORMConformance.Coach.self),
      ParityModels(MacroMade.Player.self, ORMConformance.Player.self),
      ParityModels(MacroMade.Depot.self, ORMConformance.Depot.self),
      ParityModels(MacroMade.Attendance.self, ORMConformance.Attendance.self),
      ParityModels(MacroMade.Casting.self, ORMConformance.Casting.self),
      ParityModels(MacroMade.Rehearsal.self, ORMConformance.Rehearsal.self),
      ParityModels(MacroMade.Biography.self, ORMConformance.Biography.self),
    ]
  }

  /// Random rows that both overloads can read.
  enum ParityRow {
    static func values(
      of entity: EntityDescription, _ number: Int, _ random: inout SeededGenerator
    ) -> [StoredValue] {
      var absent: Set<String> = []
      let names = Set(entity.attributes.map(\.name))
      return entity.attributes.map { attribute in
        if entity.key.contains(attribute.name) { return key(attribute, number + 1) }
        // What lies in a struct that is nil is nil, and what lies in one that is there is there.
        let containers = names.filter { attribute.name.hasPrefix($0 + ".") }
        if !containers.isDisjoint(with: absent) {
          absent.insert(attribute.name)
          return .null
        }
        let isStruct = names.contains { $0.hasPrefix(attribute.name + ".") }
        // The parts of a link's key are there, or none is.
        let isLink = entity.relationships.contains { attribute.name.hasPrefix($0.name + "_") }
        if attribute.isOptional, !isLink, isStruct || containers.isEmpty, random.chance(4) {
          absent.insert(attribute.name)
          return .null
        }
        return isStruct ? .bool(true) : value(attribute, &random)
      }
    }

    /// Keys ascend with the numbers.
    private static func key(_ attribute: AttributeDescription, _ number: Int) -> StoredValue {
      switch attribute.type {
      case .string: .string(String(100 + number))
      case .uuid:
        .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number))))
      default: .int(Int64(number))
      }
    }

    /// Enums and URLs take not every text or number.
    private static func value(
      _ attribute: AttributeDescription, _ random: inout SeededGenerator
    ) -> StoredValue {
      switch (attribute.name, attribute.type) {
      case ("colour", _), ("lining", _), ("strict", _): .string(random.pick(["red", "blue"]))
      case ("fit", _): .int(random.pick([1, 2]))
      case ("size", .string): .string(random.pick(["small", "large"]))
      case ("level", _): .int(random.pick([-1, 1]))
      case ("url", _): .string(random.pick(["https://example.org/a?b=c", "mailto:a@b.c"]))
      // A set has each element once, in some order.
      case ("strings", .array(let element)), ("words", .array(let element)),
        ("numbers", .array(let element)), ("days", .array(let element)):
        .array(random.chance(2) ? [] : [RandomValue.value(element, &random)])
      default: RandomValue.value(attribute.type, &random)
      }
    }
  }

  /// The code that the macro makes reads and writes what code by hand does.
  @Suite struct ParityRowTests {
    @Test(arguments: ParityModels.all + ParityModels.mapped)
    func `1.2: rows go through made code as through that by hand`(_ overloads: ParityModels) throws
    {
      var random = SeededGenerator(seed: runSeed())
      try overloads.map(100, &random)
    }

    @Test(arguments: StoreKind.everywhere, ParityModels.all)
    func `1.2: what one overload saves, the other reads`(
      _ kind: StoreKind, _ overloads: ParityModels
    )
      throws
    {
      var random = SeededGenerator(seed: runSeed())
      try overloads.exchange(kind, &random)
    }
  }
#endif
