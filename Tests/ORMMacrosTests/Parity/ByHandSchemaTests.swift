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
          ByHand.Snack.self, ByHand.Everything.self, ByHand.Anything.self, ByHand.Measure.self,
          ByHand.Garment.self, ByHand.Bag.self, ByHand.Word.self, ByHand.NormalWord.self,
          ByHand.Leaflet.self),
        try Schema(
          ORMConformance.Snack.self, ORMConformance.Everything.self,
          ORMConformance.Anything.self, ORMConformance.Measure.self,
          ORMConformance.Garment.self, ORMConformance.Bag.self, ORMConformance.Word.self,
          ORMConformance.NormalWord.self, ORMConformance.Leaflet.self)),
      ParitySchemas(
        "keys",
        try Schema(
          ByHand.Ticket.self, ByHand.Token.self, ByHand.Event.self, ByHand.Account.self,
          ByHand.Draft.self,
          ByHand.Enrolment.self, ByHand.Note.self, ByHand.Coupon.self, ByHand.Booth.self,
          naming: .snakeCase),
        try Schema(
          ORMConformance.Ticket.self, ORMConformance.Token.self, ORMConformance.Event.self,
          ORMConformance.Account.self, ORMConformance.Draft.self, ORMConformance.Enrolment.self,
          ORMConformance.Note.self, ORMConformance.Coupon.self, ORMConformance.Booth.self,
          naming: .snakeCase)),
      ParitySchemas(
        "structs",
        try Schema(ByHand.Customer.self, ByHand.Parcel.self, ByHand.Plank.self),
        try Schema(
          ORMConformance.Customer.self, ORMConformance.Parcel.self, ORMConformance.Plank.self)),
      ParitySchemas(
        "external data", try Schema(ByHand.Picture.self, ByHand.Album.self),
        try Schema(ORMConformance.Picture.self, ORMConformance.Album.self)),
      ParitySchemas(
        "rules, hooks and managed attributes",
        try Schema(
          ByHand.Room.self, ByHand.Freight.self, ByHand.Memo.self, ByHand.Line.self,
          ByHand.Article.self,
          ByHand.Sketch.self, ByHand.Dish.self),
        try Schema(
          ORMConformance.Room.self, ORMConformance.Freight.self, ORMConformance.Memo.self,
          ORMConformance.Line.self, ORMConformance.Article.self, ORMConformance.Sketch.self,
          ORMConformance.Dish.self)),
      ParitySchemas(
        "vehicles",
        try Schema(
          ByHand.Vehicle.self, ByHand.Car.self, ByHand.SportsCar.self, ByHand.Truck.self),
        try Schema(
          ORMConformance.Vehicle.self, ORMConformance.Car.self, ORMConformance.SportsCar.self,
          ORMConformance.Truck.self)),
      ParitySchemas(
        "beasts",
        try Schema(
          ByHand.Beast.self, ByHand.BeastTag.self, ByHand.Lion.self, ByHand.Cub.self,
          ByHand.Den.self),
        try Schema(
          ORMConformance.Beast.self, ORMConformance.BeastTag.self, ORMConformance.Lion.self,
          ORMConformance.Cub.self, ORMConformance.Den.self)),
      ParitySchemas(
        "derived attributes",
        try Schema(
          ByHand.Guild.self, ByHand.Region.self, ByHand.Fellow.self, ByHand.Medal.self,
          ByHand.Sponsor.self, ByHand.Contract.self, ByHand.Locker.self),
        try Schema.guilds),
      ParitySchemas(
        "derived attributes of trees and composite keys",
        try Schema(ByHand.Desk.self, ByHand.Paper.self),
        try Schema(ORMConformance.Desk.self, ORMConformance.Paper.self)),
      ParitySchemas(
        "links",
        try Schema(
          ByHand.Team.self, ByHand.Coach.self, ByHand.Player.self, ByHand.League.self,
          ByHand.Depot.self,
          ByHand.Yard.self, ByHand.Crate.self, ByHand.Label.self),
        try Schema(
          ORMConformance.Team.self, ORMConformance.Coach.self, ORMConformance.Player.self,
          ORMConformance.League.self, ORMConformance.Depot.self, ORMConformance.Yard.self,
          ORMConformance.Crate.self, ORMConformance.Label.self)),
      ParitySchemas(
        "links through models, counted, to themselves, and without a rule",
        try Schema(
          ByHand.Course.self, ByHand.Student.self, ByHand.Attendance.self, ByHand.Crew.self,
          ByHand.Sailor.self, ByHand.Port.self, ByHand.Folder.self, ByHand.Knot.self,
          ByHand.Place.self,
          ByHand.Visit.self, ByHand.Tag.self),
        try Schema(
          ORMConformance.Course.self, ORMConformance.Student.self,
          ORMConformance.Attendance.self, ORMConformance.Crew.self, ORMConformance.Sailor.self,
          ORMConformance.Port.self, ORMConformance.Folder.self, ORMConformance.Knot.self,
          ORMConformance.Place.self, ORMConformance.Visit.self, ORMConformance.Tag.self)),
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
