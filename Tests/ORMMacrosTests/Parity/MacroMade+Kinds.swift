#if Macros
  internal import Foundation
  internal import ORM

  // Hierarchies.
  extension MacroMade {
    @Persistable
    struct Vehicle: Hashable {
      @PrimaryKey var id: Int64
      @Attribute(.unique) var name: String
      @Attribute(.indexed) var wheels: Int?
    }

    @Persistable(parent: Vehicle.self)
    struct Car: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      var wheels: Int?
      @Attribute(.indexed) var doors: Int
      @Attribute(.unique) var plate: String?
    }

    @Persistable(parent: Car.self)
    struct SportsCar: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      var wheels: Int?
      var doors: Int
      var plate: String?
      var speed: Double
    }

    @Persistable(parent: Vehicle.self)
    struct Truck: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      var wheels: Int?
      @Attribute(.default(1.0)) var load: Double
      var doors: String?
    }

    @Persistable
    struct Beast: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      @Relationship(inverse: \Den.beasts) var den: ToOne<Den>
      @Relationship(inverse: \BeastTag.beast, delete: .cascade) var tags: ToMany<BeastTag>
    }

    @Persistable
    struct BeastTag: Hashable {
      @PrimaryKey var id: Int64
      var beast: ToOne<Beast>
    }

    @Persistable(parent: Beast.self)
    struct Lion: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      var mane: Int
      @Relationship(inverse: \Cub.lion, delete: .cascade, count: 0...3) var cubs: ToMany<Cub>
      var rival: ToOne<Lion>
    }

    @Persistable(parent: Beast.self)
    struct Cub: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      var weight: Double
      var lion: ToOne<Lion>
    }

    @Persistable
    struct Den: Hashable {
      @PrimaryKey var id: Int64
      // The inverse is named on the other side.
      var beasts: ToMany<Beast>
      @Relationship(targetDeleted: .deny) var guardian: ToOne<Lion>
      @Relationship(shared: true) var pets: ToMany<Cub>
    }
  }
#endif
