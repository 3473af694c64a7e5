#if Macros
  import Foundation
  import ORM

  @Persistable(indexes: [["flavour", .descending("price")]], unique: [["name", "code"]])
  struct Snack: Hashable {
    enum Size: String, Codable, AttributeValue { case small, large }

    @PrimaryKey(.generated) var id: Int64 = 0
    @Attribute(.indexed, .indexed(.caseInsensitive), .normalized) var name: String
    @Attribute(.named("kind"), name: "flavour") var taste: String?
    var price: Double = 0
    var stock = 3, code = -1
    private var secret = "s"
    var size = Size.small
    var bought = Date(timeIntervalSinceReferenceDate: 0) {
      didSet { changes += 1 }
    }
    @Attribute(.indexed(.elements)) var tags: [String] = []
    let batch: Int
    @Attribute(.json) var places: [String: Int]
    @Attribute(.default(Size.large)) var box: Size
    var `default` = false
    var row: UInt64 = 1
    @Transient var isSelected = false
    @Transient var changes = 0
    static let shelf = 7
    var label: String { name + " " + (taste ?? "") }

    var hidden: String {
      get { secret }
      set { secret = newValue }
    }

    init(name: String, taste: String? = nil, price: Double = 0, batch: Int = 1) {
      self.name = name
      self.taste = taste
      self.price = price
      self.batch = batch
      places = ["left": batch]
      box = .small
    }
  }

  @Persistable
  struct Team: Hashable {
    @PrimaryKey(.uuidV7) var id: UUID = .unassigned
    var name: String
    @Relationship(inverse: \Coach.team) var coach: ToOne<Coach> = ToOne()
    @Relationship(inverse: \Player.team, delete: .cascade, count: 0...25)
    var players: ToMany<Player> = ToMany()
    @Relationship(inverse: \League.teams) var leagues: ToMany<League> = ToMany()
  }

  @Persistable
  struct Coach: Hashable {
    @PrimaryKey var id: String
    var team: ToOne<Team> = ToOne()
    var years: Int?
  }

  @Persistable
  struct Player: Hashable {
    @PrimaryKey var id: Int
    @Relationship(required: true) var team: ToOne<Team> = .notLoaded
    var name: String
  }

  @Persistable(naming: .snakeCase)
  struct League: Hashable {
    struct ID: CompositeKey {
      var country: String
      var number: Int
    }
    @PrimaryKey var id: ID
    @Relationship(ordered: true) var teams: ToMany<Team> = ToMany()
    var prizeMoney: Decimal = 0
    @Relationship(targetDeleted: .nullify) var firstWinner: ToOne<Coach> = ToOne()
  }

  // Models that lead back to themselves and round in a ring: the marks are resolved one after
  // another, in either direction of the inverse.
  @Persistable
  struct Folder: Hashable {
    @PrimaryKey var id: Int
    @Relationship(inverse: \Folder.parent, delete: .cascade) var children: ToMany<Folder> = ToMany()
    @Relationship var parent: ToOne<Folder> = ToOne()
  }

  @Persistable
  struct RingA: Hashable {
    @PrimaryKey var id: Int
    @Relationship(inverse: \RingB.a) var b: ToMany<RingB> = ToMany()
    @Relationship var c: ToOne<RingC> = ToOne()
  }

  @Persistable
  struct RingB: Hashable {
    @PrimaryKey var id: Int
    @Relationship(inverse: \RingC.b) var c: ToMany<RingC> = ToMany()
    @Relationship var a: ToOne<RingA> = ToOne()
  }

  @Persistable
  struct RingC: Hashable {
    @PrimaryKey var id: Int
    @Relationship(inverse: \RingA.c) var a: ToMany<RingA> = ToMany()
    @Relationship var b: ToOne<RingB> = ToOne()
  }
#endif
