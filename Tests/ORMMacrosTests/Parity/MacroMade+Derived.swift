#if Macros
  internal import Foundation
  internal import ORM

  // What is derived, of to-manys of every kind.
  extension MacroMade {
    @Persistable
    struct Guild: Hashable {
      @PrimaryKey var id: Int64
      var title: String
      @Derived(.count(of: \Guild.members), .indexed) var memberCount = 0
      @Derived(.sum(of: \Guild.members, \Fellow.points)) var points = 0
      @Derived(.minimum(of: \Guild.members, \Fellow.points)) var least: Int?
      @Derived(.maximum("members", "points"), .indexed(.descending)) var most: Int?
      @Derived(.average(of: \Guild.members, \Fellow.points)) var mean: Double?
      @Derived(.sum(of: \Guild.members, \Fellow.weight)) var weight = 0.0
      @Derived(.sum("members", "fee")) var fees: Decimal = 0
      @Derived(.count("badges")) var badgeCount: Int64 = 0
      @Derived(.sum(of: \Guild.badges, \Medal.worth)) var worth = 0
      @Derived(.minimum(of: \Guild.badges, \Medal.name)) var firstBadge: String?
      @Derived(.count(of: \Guild.sponsors)) var sponsorCount = 0
      @Derived(.count(of: \Guild.lockers)) var lockerCount = 0
      @Derived(.maximum(of: \Guild.lockers, \Locker.size)) var largest: UInt64?
      @Derived(.sum(of: \Guild.lockers, \Locker.size)) var room: UInt64 = 0
      @Relationship(inverse: \Region.guilds) var region: ToOne<Region> = .notLoaded
      @Relationship(inverse: \Fellow.guild) var members: ToMany<Fellow> = .notLoaded
      @Relationship(inverse: \Medal.guilds) var badges: ToMany<Medal> = .notLoaded
      @Relationship(through: Contract.self) var sponsors: ToMany<Sponsor> = .notLoaded
      @Relationship(delete: .cascade) var lockers: ToMany<Locker> = .notLoaded
    }

    @Persistable
    struct Region: Hashable {
      @PrimaryKey var id: Int64
      @Derived(.sum(of: \Region.guilds, \Guild.memberCount)) var people = 0
      @Derived(.maximum(of: \Region.guilds, \Guild.memberCount)) var fullest: Int?
      var guilds: ToMany<Guild> = .notLoaded
    }

    @Persistable
    struct Fellow: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      var points: Int?
      var weight: Double?
      var fee: Decimal?
      @Attribute(.softDelete) var hidden: Date?
      var guild: ToOne<Guild> = .notLoaded
    }

    @Persistable
    struct Medal: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      var worth: Int
      @Attribute(.softDelete) var hidden: Date?
      var guilds: ToMany<Guild> = .notLoaded
    }

    @Persistable
    struct Sponsor: Hashable {
      @PrimaryKey var id: Int64
    }

    @Persistable
    struct Contract: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      @Attribute(.softDelete) var hidden: Date?
      var guild: ToOne<Guild>
      var sponsor: ToOne<Sponsor>
    }

    @Persistable
    struct Locker: Hashable {
      @PrimaryKey var id: Int64
      var size: UInt64
    }

    @Persistable
    struct Desk: Hashable {
      struct ID: CompositeKey {
        var floor: Int
        var spot: String
      }
      @PrimaryKey var id: ID
      var title: String
      var touched: Int
      @Attribute(.version) var version: Int
      @Attribute(.updatedAt) var changed: Date?
      @Derived(.sum(of: \Desk.papers, \Paper.sheets), .indexed) var sheets: Int64
      @Derived(.maximum(of: \Desk.papers, \Paper.day)) var latest: Date?
      @Relationship(inverse: \Paper.desk) var papers: ToMany<Paper>
    }

    @Persistable
    struct Paper: Hashable {
      @PrimaryKey(.uuidV4) var id: UUID
      var sheets: Int64 = 1
      var day: Date?
      @Derived(.count(of: \Paper.parts)) var inserts: Int
      var desk: ToOne<Desk>
      var inside: ToOne<Paper>
      @Relationship(inverse: \Paper.inside, delete: .cascade) var parts: ToMany<Paper>
    }
  }
#endif
