#if Macros
  internal import ORM
  @testable internal import ORMConformance
  internal import Testing

  /// A schema of made models, and that of the models by hand that they are twins of.
  struct TwinSchemas: Sendable, CustomTestStringConvertible {
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

    static let all: [TwinSchemas] = [
      TwinSchemas(
        "values",
        try Schema(
          Twin.Snack.self, Twin.Everything.self, Twin.Anything.self, Twin.Measure.self,
          Twin.Garment.self, Twin.Bag.self, Twin.Word.self, Twin.NormalWord.self,
          Twin.Leaflet.self),
        try Schema(
          ORMConformance.Snack.self, ORMConformance.Everything.self,
          ORMConformance.Anything.self, ORMConformance.Measure.self,
          ORMConformance.Garment.self, ORMConformance.Bag.self, ORMConformance.Word.self,
          ORMConformance.NormalWord.self, ORMConformance.Leaflet.self)),
      TwinSchemas(
        "keys",
        try Schema(
          Twin.Ticket.self, Twin.Token.self, Twin.Event.self, Twin.Account.self, Twin.Draft.self,
          Twin.Enrolment.self, Twin.Note.self, naming: .snakeCase),
        try Schema(
          ORMConformance.Ticket.self, ORMConformance.Token.self, ORMConformance.Event.self,
          ORMConformance.Account.self, ORMConformance.Draft.self, ORMConformance.Enrolment.self,
          ORMConformance.Note.self, naming: .snakeCase)),
      TwinSchemas(
        "structs",
        try Schema(Twin.Customer.self, Twin.Parcel.self, Twin.Plank.self),
        try Schema(
          ORMConformance.Customer.self, ORMConformance.Parcel.self, ORMConformance.Plank.self)),
      TwinSchemas(
        "external data", try Schema(Twin.Picture.self, Twin.Album.self),
        try Schema(ORMConformance.Picture.self, ORMConformance.Album.self)),
      TwinSchemas(
        "rules, hooks and managed attributes",
        try Schema(
          Twin.Room.self, Twin.Freight.self, Twin.Memo.self, Twin.Line.self, Twin.Article.self,
          Twin.Sketch.self, Twin.Dish.self),
        try Schema(
          ORMConformance.Room.self, ORMConformance.Freight.self, ORMConformance.Memo.self,
          ORMConformance.Line.self, ORMConformance.Article.self, ORMConformance.Sketch.self,
          ORMConformance.Dish.self)),
      TwinSchemas(
        "vehicles",
        try Schema(
          Twin.Vehicle.self, Twin.Car.self, Twin.SportsCar.self, Twin.Truck.self),
        try Schema(
          ORMConformance.Vehicle.self, ORMConformance.Car.self, ORMConformance.SportsCar.self,
          ORMConformance.Truck.self)),
      TwinSchemas(
        "beasts",
        try Schema(
          Twin.Beast.self, Twin.BeastTag.self, Twin.Lion.self, Twin.Cub.self, Twin.Den.self),
        try Schema(
          ORMConformance.Beast.self, ORMConformance.BeastTag.self, ORMConformance.Lion.self,
          ORMConformance.Cub.self, ORMConformance.Den.self)),
      TwinSchemas(
        "derived attributes",
        try Schema(
          Twin.Guild.self, Twin.Region.self, Twin.Fellow.self, Twin.Medal.self,
          Twin.Sponsor.self, Twin.Contract.self, Twin.Locker.self),
        try Schema.guilds),
      TwinSchemas(
        "derived attributes of trees and composite keys",
        try Schema(Twin.Desk.self, Twin.Paper.self),
        try Schema(ORMConformance.Desk.self, ORMConformance.Paper.self)),
      TwinSchemas(
        "links",
        try Schema(
          Twin.Team.self, Twin.Coach.self, Twin.Player.self, Twin.League.self, Twin.Depot.self,
          Twin.Yard.self, Twin.Crate.self, Twin.Label.self),
        try Schema(
          ORMConformance.Team.self, ORMConformance.Coach.self, ORMConformance.Player.self,
          ORMConformance.League.self, ORMConformance.Depot.self, ORMConformance.Yard.self,
          ORMConformance.Crate.self, ORMConformance.Label.self)),
      TwinSchemas(
        "links through models, counted, to themselves, and without a rule",
        try Schema(
          Twin.Course.self, Twin.Student.self, Twin.Attendance.self, Twin.Crew.self,
          Twin.Sailor.self, Twin.Port.self, Twin.Folder.self, Twin.Knot.self, Twin.Place.self,
          Twin.Visit.self, Twin.Tag.self),
        try Schema(
          ORMConformance.Course.self, ORMConformance.Student.self,
          ORMConformance.Attendance.self, ORMConformance.Crew.self, ORMConformance.Sailor.self,
          ORMConformance.Port.self, ORMConformance.Folder.self, ORMConformance.Knot.self,
          ORMConformance.Place.self, ORMConformance.Visit.self, ORMConformance.Tag.self)),
    ]
  }

  /// The macro declares what the conformance suite declares by hand.
  @Suite struct TwinSchemaTests {
    @Test(arguments: TwinSchemas.all)
    func `M2: what is made is described as by hand`(_ twins: TwinSchemas) throws {
      let made = try twins.made()
      let byHand = try twins.byHand()
      for (one, other) in zip(made.entities, byHand.entities) { #expect(one == other) }
      #expect(made.stored == byHand.stored)
      #expect(made.warnings == byHand.warnings)
    }
  }
#endif
