#if Macros
  internal import Foundation
  internal import ORM

  // Structs inside structs, and data stored beside the rows.
  extension MacroMade {
    @Persistable
    struct Spot: Hashable {
      var latitude: Double
      var longitude: Double
      @Attribute(.named("caption")) var label: String?
    }

    @Persistable(indexes: [["city", .descending("street")]])
    struct PostalAddress: Hashable {
      var street: String
      @Attribute(.indexed, .normalized) var city: String
      @Attribute(.range(0...)) var number: Int?
      @Embedded var spot: Spot?
    }

    @Persistable(indexes: [["work.street"]], unique: [["name", "home.street"]])
    struct Customer: Hashable {
      @PrimaryKey var id: Int64
      @Embedded var home: PostalAddress
      @Embedded var work: PostalAddress?
      var name: String
    }

    @Persistable
    struct Parcel: Hashable {
      @PrimaryKey var id: Int64
      var weight: Double
      var receiver: ToOne<Customer>
    }

    @Persistable
    struct Stretch: Hashable {
      @Attribute(.range(0...), .check("must be even") { (low: Int) in low % 2 == 0 })
      var low: Int
      var high: Int

      static let shape: EntityPart<Stretch> =
        .rule("stretch", "must not be empty") { $0.high > $0.low }
    }

    @Persistable
    struct Plank: Hashable {
      @PrimaryKey var id: Int64
      @Embedded var width: Stretch
      @Embedded var spare: Stretch?
    }

    @Persistable
    struct Picture: Hashable {
      @PrimaryKey var id: Int64
      @Attribute(.indexed) var title: String
      @Attribute(.external(threshold: 100)) var image: Data?
      @Attribute(.external(threshold: 100), .default([7])) var raw: [UInt8]
      var album: ToOne<Album>
    }

    @Persistable
    struct Album: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      @Attribute(.external(threshold: 100)) var cover: Data
      @Relationship(inverse: \Picture.album, delete: .cascade) var pictures: ToMany<Picture> =
        ToMany()
    }
  }
#endif
