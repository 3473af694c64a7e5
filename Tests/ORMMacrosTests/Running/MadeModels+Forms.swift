#if Macros
  import Foundation
  package import ORM

  /// A class, which is `Sendable` by its own declaration as by hand.
  // Tests use an object on one thread alone.
  @Persistable
  final class Box: @unchecked Sendable {
    @PrimaryKey var id: String
    var label = ""
    @Transient var opened = 0

    init(_ id: String, label: String) {
      self.id = id
      self.label = label
    }
  }

  /// A model without a key, whose coding keys are none of the mapper's business.
  @Persistable("Remark", storedName: "remarks")
  fileprivate struct Note: Codable, Equatable {
    fileprivate var text: String
    var rank: Int?

    enum CodingKeys: String, CodingKey {
      case text = "t"
      case rank = "r"
    }
  }

  /// A note that other files can make.
  enum Notes {
    static func roundTrip(_ text: String, _ rank: Int?, on store: any Store) throws -> Bool {
      let note = Note(text: text, rank: rank)
      try store.insert(note)
      return try store.fetch(Note.all.where { $0.text == text }) == [note]
    }

    static var schema: Schema { get throws { try Schema(Note.self) } }
  }

  /// A model that is made by its memberwise initializer when it is read, which its private properties
  /// make private.
  @Persistable
  struct Ticket: Hashable {
    enum Grade: String, AttributeValue { case plain, gold }

    @PrimaryKey(.generated) var id: Int64 = 0
    var next: ToOne<Ticket> = ToOne()
    var title: String, price: Double?
    private var secret = "s"
    @Attribute(.fallback(Grade.plain)) var grade: Grade = .gold
    @Attribute(.json) var places: [String: Int] = [:]
    var `default` = false
    let row: Int?
    var bought = Date(timeIntervalSinceReferenceDate: 0) {
      didSet { changes += 1 }
    }
    var tags: [String] = []
    @Transient private(set) var changes = 0
    @Transient private var cache = [1]

    static func of(_ title: String, row: Int?) -> Ticket {
      var ticket = Ticket(title: title, price: nil, row: row)
      ticket.secret = title + "!"
      ticket.cache = []
      return ticket
    }

    /// The private properties.
    var hidden: [String] { [secret, "\(cache)"] }
  }

  /// A key that is declared outside its model, with an initialiser of its own.
  package struct Seat: CompositeKey {
    package let room: String
    package let number: UInt64

    package init(_ room: String, _ number: UInt64) {
      self.room = room
      self.number = number
    }
  }

  /// Nested models, with members as accessible as they are.
  package enum Hall {
    @Persistable("Booking")
    package struct Booking: Hashable, PrimaryKeyed {
      @PrimaryKey(parts: "room", "number") package var id: Seat
      package var guest: String?
      package var next: ToOne<Booking> = ToOne()

      package init(_ id: Seat, guest: String?) {
        self.id = id
        self.guest = guest
      }
    }
  }

  extension Hall {
    @Persistable
    struct Stage: Hashable {
      @PrimaryKey var id: Int
      @Relationship(delete: .cascade) var first: ToOne<Booking> = ToOne()
    }
  }
#endif
