#if Macros
  internal import ORM
  @testable internal import ORMConformance
  internal import Testing

  /// A schema of made models, and that of the models by hand that they are overloads of.
  struct ParitySchemas: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let made: @Sendable () throws -> Schema
    let byHand: @Sendable () throws -> Schema

    init(
      _ name: String, _ made: @autoclosure @escaping @Sendable () throws -> Schema,
      _ byHand: @autoclosure @escaping @Sendable () throws -> Schema
    ) {
      testDescription = name
      self.made = made
      self.byHand = byHand
    }

    static let all: [ParitySchemas] = [
      ParitySchemas(
        "values",
        try Schema(
          MacroMade.Snack.self, MacroMade.Everything.self, MacroMade.Anything.self,
          MacroMade.Measure.self,
          MacroMade.Garment.self, MacroMade.Bag.self, MacroMade.Word.self,
          MacroMade.NormalWord.self,
          MacroMade.Leaflet.self),
        try Schema(
          ORMConformance.Snack.self, ORMConformance.Everything.self,
          ORMConformance.Anything.self, ORMConformance.Measure.self,
          ORMConformance.Garment.self, ORMConformance.Bag.self, ORMConformance.Word.self,
          ORMConformance.NormalWord.self, ORMConformance.Leaflet.self)),
      ParitySchemas(
        "keys",
        try Schema(
          MacroMade.Ticket.self, MacroMade.Token.self, MacroMade.Event.self, MacroMade.Account.self,
          MacroMade.Draft.self,
          MacroMade.Enrolment.self, MacroMade.Note.self, MacroMade.Coupon.self,
          MacroMade.Booth.self,
          naming: .snakeCase),
        try Schema(
          ORMConformance.Ticket.self, ORMConformance.Token.self, ORMConformance.Event.self,
          ORMConformance.Account.self, ORMConformance.Draft.self, ORMConformance.Enrolment.self,
          ORMConformance.Note.self, ORMConformance.Coupon.self, ORMConformance.Booth.self,
          naming: .snakeCase)),
      ParitySchemas(
        "keys of to-ones",
        try Schema(
          MacroMade.Performer.self, MacroMade.Production.self, MacroMade.Casting.self,
          MacroMade.Rehearsal.self, MacroMade.Biography.self),
        try Schema(
          ORMConformance.Performer.self, ORMConformance.Production.self,
          ORMConformance.Casting.self, ORMConformance.Rehearsal.self,
          ORMConformance.Biography.self)),
      ParitySchemas(
        "structs",
        try Schema(MacroMade.Customer.self, MacroMade.Parcel.self, MacroMade.Plank.self),
        try Schema(
          ORMConformance.Customer.self, ORMConformance.Parcel.self, ORMConformance.Plank.self)),
      ParitySchemas(
        "external data", try Schema(MacroMade.Picture.self, MacroMade.Album.self),
        try Schema(ORMConformance.Picture.self, ORMConformance.Album.self)),
      ParitySchemas(
        "rules, hooks and managed attributes",
        try Schema(
          MacroMade.Room.self, MacroMade.Freight.self, MacroMade.Memo.self, MacroMade.Line.self,
          MacroMade.Article.self,
          MacroMade.Sketch.self, MacroMade.Dish.self),
        try Schema(
          ORMConformance.Room.self, ORMConformance.Freight.self, ORMConformance.Memo.self,
          ORMConformance.Line.self, ORMConformance.Article.self, ORMConformance.Sketch.self,
          ORMConformance.Dish.self)),
      ParitySchemas(
        "vehicles",
        try Schema(
          MacroMade.Vehicle.self, MacroMade.Car.self, MacroMade.SportsCar.self, MacroMade.Truck.self
        ),
        try Schema(
          ORMConformance.Vehicle.self, ORMConformance.Car.self, ORMConformance.SportsCar.self,
          ORMConformance.Truck.self)),
      ParitySchemas(
        "beasts",
        try Schema(
          MacroMade.Beast.self, MacroMade.BeastTag.self, MacroMade.Lion.self, MacroMade.Cub.self,
          MacroMade.Den.self),
        try Schema(
          ORMConformance.Beast.self, ORMConformance.BeastTag.self, ORMConformance.Lion.self,
          ORMConformance.Cub.self, ORMConformance.Den.self)),
      ParitySchemas(
        "derived attributes",
        try Schema(
          MacroMade.Guild.self, MacroMade.Region.self, MacroMade.Fellow.self, MacroMade.Medal.self,
          MacroMade.Sponsor.self, MacroMade.Contract.self, MacroMade.Locker.self),
        try Schema.guilds),
      ParitySchemas(
        "derived attributes of trees and composite keys",
        try Schema(MacroMade.Desk.self, MacroMade.Paper.self),
        try Schema(ORMConformance.Desk.self, ORMConformance.Paper.self)),
      ParitySchemas(
        "links",
        try Schema(
          MacroMade.Team.self, MacroMade.Coach.self, MacroMade.Player.self, MacroMade.League.self,
          MacroMade.Depot.self,
          MacroMade.Yard.self, MacroMade.Crate.self, MacroMade.Label.self),
        try Schema(
          ORMConformance.Team.self, ORMConformance.Coach.self, ORMConformance.Player.self,
          ORMConformance.League.self, ORMConformance.Depot.self, ORMConformance.Yard.self,
          ORMConformance.Crate.self, ORMConformance.Label.self)),
      ParitySchemas(
        "links through models, counted, to themselves, and without a rule",
        try Schema(
          MacroMade.Course.self, MacroMade.Student.self, MacroMade.Attendance.self,
          MacroMade.Crew.self,
          MacroMade.Sailor.self, MacroMade.Port.self, MacroMade.Folder.self, MacroMade.Knot.self,
          MacroMade.Park.self,
          MacroMade.Visit.self, MacroMade.Tag.self),
        try Schema(
          ORMConformance.Course.self, ORMConformance.Student.self,
          ORMConformance.Attendance.self, ORMConformance.Crew.self, ORMConformance.Sailor.self,
          ORMConformance.Port.self, ORMConformance.Folder.self, ORMConformance.Knot.self,
          ORMConformance.Park.self, ORMConformance.Visit.self, ORMConformance.Tag.self)),
    ]
  }

  /// The macro declares what the conformance suite declares by hand.
  @Suite struct ParitySchemaTests {
    @Test(arguments: ParitySchemas.all)
    func `M2: what is made is described as by hand`(_ overloads: ParitySchemas) throws {
      let made = try overloads.made()
      let byHand = try overloads.byHand()
      for (one, other) in zip(made.entities, byHand.entities) { #expect(one == other) }
      #expect(made.stored == byHand.stored)
      #expect(made.warnings == byHand.warnings)
    }
  }
#endif
