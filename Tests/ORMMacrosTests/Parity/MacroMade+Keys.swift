#if Macros
  internal import Foundation
  internal import ORM

  // Keys of every source, none, and unique rules.
  extension MacroMade {
    @Persistable
    struct Ticket: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      var title: String
    }

    @Persistable
    struct Token: Hashable {
      @PrimaryKey(.uuidV4) var id: UUID = .unassigned
      var title: String
    }

    @Persistable
    struct Event: Hashable {
      @PrimaryKey(.uuidV7) var id: UUID = .unassigned
      var title: String
    }

    @Persistable(unique: [["region", "local"]])
    struct Account: Hashable {
      @PrimaryKey var id: Int64
      @Attribute(.unique) var number: Int
      @Attribute(.unique) var email: String?
      var region: String?
      var local: Int?
      @Attribute(.unique) var rate: Double?
    }

    @Persistable
    struct Draft: Hashable {
      @PrimaryKey var id: Int64
      var title: String
      @Attribute(.default("new")) var state: String?
      var weight: Double = 1.5
      var score: Int?
    }

    @Persistable
    struct Enrolment: Hashable {
      struct ID: CompositeKey {
        var room: String
        var number: Int
      }
      @PrimaryKey var id: ID
      var seat: String?
    }

    @Persistable
    struct Coupon: Hashable {
      @PrimaryKey(.generated) var couponNumber: Int64 = 0
      var label: String
    }

    @Persistable
    struct Booth: Hashable {
      struct Spot: CompositeKey {
        var hall: String
        var number: Int
      }
      @PrimaryKey var spot: Spot
      var coupon: ToOne<Coupon> = ToOne()
    }

    @Persistable
    struct Note: Hashable {
      @Attribute(.indexed) var text: String
      var rank: Int?
    }

    @Persistable
    struct Performer: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      var name: String
      @Relationship(inverse: \Casting.performer, delete: .cascade)
      var castings: ToMany<Casting> = ToMany()
      @Relationship(inverse: \Production.performers, through: Casting.self)
      var productions: ToMany<Production> = ToMany()
      @Relationship(inverse: \Biography.performer, delete: .cascade)
      var biography: ToOne<Biography> = ToOne()
    }

    @Persistable
    struct Production: Hashable {
      struct ID: CompositeKey {
        var city: String
        var year: Int
      }
      @PrimaryKey var id: ID
      @Relationship(through: Casting.self) var performers: ToMany<Performer> = ToMany()
    }

    @Persistable
    struct Casting: Hashable {
      @Relationship(inverse: \Rehearsal.casting, delete: .cascade)
      var rehearsals: ToMany<Rehearsal> = ToMany()
      @PrimaryKey var performer: ToOne<Performer> = ToOne()
      @PrimaryKey @Relationship(targetDeleted: .cascade) var production: ToOne<Production> = ToOne()
      var fee: Int?
    }

    @Persistable
    struct Rehearsal: Hashable {
      @PrimaryKey var casting: ToOne<Casting> = ToOne()
      @PrimaryKey var number: Int
      var hours: Int
    }

    @Persistable
    struct Biography: Hashable {
      @PrimaryKey var performer: ToOne<Performer> = ToOne()
      var text: String
    }
  }
#endif
