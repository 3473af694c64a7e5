#if Macros
  import ORM
  import ORMCore
  import Testing

  /// The macro declares the same as a model by hand.
  @Suite struct MadeSchemaTests {
    @Test func `M2: attributes, options, indexes and defaults are those of the model by hand`()
      throws
    {
      let made = try Schema(Snack.self)
      let byHand = try Schema(ByHand.Snack.self)
      #expect(made.entities == byHand.entities)
      #expect(made.stored == byHand.stored)
    }

    @Test func `M2, R1: relationships are those of the models by hand`() throws {
      let made = try Schema(Team.self, Coach.self, Player.self, League.self)
      let byHand = try Schema(
        ByHand.Team.self, ByHand.Coach.self, ByHand.Player.self, ByHand.League.self)
      #expect(made.stored == byHand.stored)
    }

    @Test func `M4: an entity's naming strategy is for its names alone`() throws {
      let schema = try Schema(
        Team.self, Coach.self, Player.self, League.self, naming: .prefix("x_"))
      let league = try #require(schema["League"])
      #expect(league.storedName == "league")
      #expect(
        league.attributes.map(\.storedName)
          == ["country", "number", "prize_money", "first_winner_id"])
      #expect(
        league.attributes.map(\.name) == ["country", "number", "prizeMoney", "firstWinner_id"])
      #expect(schema["Team"]?.storedName == "x_Team")
    }

    @Test func `M4: names given to the macro are the entity's and the store's`() throws {
      let schema = try Notes.schema
      let entity = try #require(schema["Remark"])
      #expect(entity.storedName == "remarks")
      #expect(entity.key == [])
      #expect(entity.attributes.map(\.name) == ["text", "rank"])
    }

    @Test func `R1: models that lead to themselves and round in a ring are declared`() throws {
      let schema = try Schema(Folder.self, RingA.self, RingB.self, RingC.self)
      #expect(schema["Folder"]?.relationship(named: "children")?.inverse == "parent")
      #expect(schema["RingA"]?.relationship(named: "c")?.inverse == "a")
    }

    @Test func `M3: a key of several attributes is spread, inside the model or outside`() throws {
      #expect(League.entity.description.key == ["country", "number"])
      #expect(Hall.Booking.entity.description.key == ["room", "number"])
      _ = try Schema(Hall.Booking.self, Hall.Stage.self)
    }
  }
#endif
