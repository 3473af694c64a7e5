#if Macros
  internal import Foundation
  internal import ORM
  @testable internal import ORMConformance
  internal import ORMCore
  internal import TestSupport
  internal import Testing

  /// A made model and its twin by hand, whose rows are exchanged.
  struct TwinModels: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Rows go through the code of both.
    let map: @Sendable (_ rows: Int, inout RandomSource) throws -> Void
    /// What one saves, the other reads.
    let exchange: @Sendable (TestedStore, inout RandomSource) throws -> Void

    init<Made: PrimaryKeyed & Equatable, ByHand: PrimaryKeyed>(
      _ made: Made.Type, _ byHand: ByHand.Type
    ) {
      testDescription = Made.entity.description.name
      map = { count, random in
        for number in 0..<count {
          let row = TwinRow.values(of: Made.entity.description, number, &random)
          let kept = try Mapper<ByHand>.values(of: Mapper<ByHand>.model(from: row))
          let made = try Mapper<Made>.values(of: Mapper<Made>.model(from: row))
          #expect(made == kept, "\(Made.entity.description.name) \(row)")
          if ByHand.entity.description.attributes.allSatisfy({ !$0.isNormalized }) {
            #expect(made == row)
          }
        }
      }
      exchange = { kind, random in
        let rows = (0..<20).map { TwinRow.values(of: Made.entity.description, $0, &random) }
        try kind.with(Schema(Made.self)) { store in
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

    static let all: [TwinModels] = [
      TwinModels(Twin.Snack.self, ORMConformance.Snack.self),
      TwinModels(Twin.Everything.self, ORMConformance.Everything.self),
      TwinModels(Twin.Anything.self, ORMConformance.Anything.self),
      TwinModels(Twin.Measure.self, ORMConformance.Measure.self),
      TwinModels(Twin.Garment.self, ORMConformance.Garment.self),
      TwinModels(Twin.Bag.self, ORMConformance.Bag.self),
      TwinModels(Twin.Word.self, ORMConformance.Word.self),
      TwinModels(Twin.Enrolment.self, ORMConformance.Enrolment.self),
      TwinModels(Twin.Draft.self, ORMConformance.Draft.self),
      TwinModels(Twin.Yard.self, ORMConformance.Yard.self),
      TwinModels(Twin.Dish.self, ORMConformance.Dish.self),
    ]

    /// Those whose rows a store would not take as they come: they have rules, and targets.
    static let mapped: [TwinModels] = [
      TwinModels(Twin.Room.self, ORMConformance.Room.self),
      TwinModels(Twin.Article.self, ORMConformance.Article.self),
      TwinModels(Twin.Account.self, ORMConformance.Account.self),
      TwinModels(Twin.NormalWord.self, ORMConformance.NormalWord.self),
      TwinModels(Twin.Customer.self, ORMConformance.Customer.self),
      TwinModels(Twin.Parcel.self, ORMConformance.Parcel.self),
      TwinModels(Twin.Plank.self, ORMConformance.Plank.self),
      TwinModels(Twin.Picture.self, ORMConformance.Picture.self),
      TwinModels(Twin.SportsCar.self, ORMConformance.SportsCar.self),
      TwinModels(Twin.Lion.self, ORMConformance.Lion.self),
      TwinModels(Twin.Guild.self, ORMConformance.Guild.self),
      TwinModels(Twin.Fellow.self, ORMConformance.Fellow.self),
      TwinModels(Twin.Contract.self, ORMConformance.Contract.self),
      TwinModels(Twin.Desk.self, ORMConformance.Desk.self),
      TwinModels(Twin.Paper.self, ORMConformance.Paper.self),
      TwinModels(Twin.Coach.self, ORMConformance.Coach.self),
      TwinModels(Twin.Player.self, ORMConformance.Player.self),
      TwinModels(Twin.Depot.self, ORMConformance.Depot.self),
      TwinModels(Twin.Attendance.self, ORMConformance.Attendance.self),
    ]
  }

  /// Random rows that both twins can read.
  enum TwinRow {
    static func values(
      of entity: EntityDescription, _ number: Int, _ random: inout RandomSource
    ) -> [StoredValue] {
      var absent: Set<String> = []
      let names = Set(entity.attributes.map(\.name))
      return entity.attributes.map { attribute in
        if entity.key.contains(attribute.name) { return key(attribute, number + 1) }
        // What lies in a struct that is nil is nil, and what lies in one that is there is there.
        let holders = names.filter { attribute.name.hasPrefix($0 + ".") }
        if !holders.isDisjoint(with: absent) {
          absent.insert(attribute.name)
          return .null
        }
        let isStruct = names.contains { $0.hasPrefix(attribute.name + ".") }
        // The parts of a link's key are there, or none is.
        let isLink = entity.relationships.contains { attribute.name.hasPrefix($0.name + "_") }
        if attribute.isOptional, !isLink, isStruct || holders.isEmpty, random.chance(4) {
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
      _ attribute: AttributeDescription, _ random: inout RandomSource
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
  @Suite struct TwinRowTests {
    @Test(arguments: TwinModels.all + TwinModels.mapped)
    func `1.2: rows go through made code as through that by hand`(_ twins: TwinModels) throws {
      var random = RandomSource(seed: runSeed())
      try twins.map(100, &random)
    }

    @Test(arguments: TestedStore.allCases, TwinModels.all)
    func `1.2: what one twin saves, the other reads`(_ kind: TestedStore, _ twins: TwinModels)
      throws
    {
      var random = RandomSource(seed: runSeed())
      try twins.exchange(kind, &random)
    }
  }
#endif
