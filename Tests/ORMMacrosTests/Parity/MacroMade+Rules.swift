#if Macros
  internal import Foundation
  internal import ORM

  // Rules, hooks and managed attributes.
  extension MacroMade {
    @Persistable
    struct Room: Hashable {
      @PrimaryKey var id: Int64
      @Attribute(.length(1...6)) var name: String
      @Attribute(.range(1...100), .unique) var seats: Int
      @Attribute(.range(0..<50.0)) var price: Double?
      @Attribute(.matches("[A-Z]{2}\\d+")) var code: String?
      var opens: Int
      var closes: Int
      @Attribute(.length(...2)) var tags: [String]
      var floor: Int = 0

      static let hours: EntityPart<Room> =
        .rule("hours", "must close after it opens") { $0.closes > $0.opens }
    }

    @Persistable
    struct Freight: Hashable, ValidatedModel {
      @PrimaryKey var id: Int64
      @Attribute(.range(1...), .check("must be even") { (weight: Int) in weight % 2 == 0 })
      var weight: Int
      var isSealed: Bool

      func validate(_ check: inout Validation<Freight>) throws {
        switch check.event {
        case .delete: if isSealed { check.fail("sealed", "a sealed crate stays", on: \.isSealed) }
        case .insert: if isSealed { check.fail("open", "a new crate is open", on: \.isSealed) }
        case .update:
          if let old = check.old, old.isSealed, old.weight != weight {
            check.fail("sealed", "a sealed crate keeps its weight", on: \.weight)
          }
        case .none: break
        }
        if let transaction = check.transaction, try transaction.count(Freight.all) > 2 {
          check.fail("many", "at most two crates")
        }
      }
    }

    @Persistable
    struct Memo: Hashable, WriteHooks, LoadHook {
      @PrimaryKey(.generated) var id: Int64 = 0
      var text: String
      var length: Int
      @Transient var isLoaded = false

      mutating func willInsert(in transaction: WriteTransaction) throws {
        length = text.unicodeScalars.count
        try transaction.save(Line(text: "+\(text)"))
      }

      mutating func willUpdate(from old: Memo, in transaction: WriteTransaction) throws {
        if text == "bad" { throw Refusal() }
        length = text.unicodeScalars.count
        try transaction.save(Line(text: "\(old.text)>\(text)"))
      }

      func didDelete(in transaction: WriteTransaction) throws {
        try transaction.save(Line(text: "-\(text)"))
      }

      mutating func didLoad() throws { isLoaded = true }

      /// The error of a hook.
      struct Refusal: Error, Equatable {}
    }

    @Persistable
    struct Line: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      var text: String
    }

    @Persistable
    struct Article: Hashable {
      @PrimaryKey var id: Int64
      var title: String
      var rank: Int?
      @Attribute(.version) var version = 0
      @Attribute(.createdAt) var created = Date(timeIntervalSinceReferenceDate: 0)
      @Attribute(.updatedAt) var changed: Date?
    }

    @Persistable
    struct Sketch: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      @Attribute(.unique) var title: String
      @Attribute(.indexed) var size: Int
      @Attribute(.softDelete) var deletedAt: Date?
    }

    @Persistable
    struct Dish: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      @Attribute(.indexed) var price: Double?
      var kitchen: String

      static let queries: EntityPart<Dish> =
        .template(
          "cheap", "price < $LIMIT AND name BEGINSWITH[c] $START", sortedBy: "-price, name[c]",
          limit: 2)
      static var rivals: EntityPart<Self> {
        .fetched(
          "rivals", Dish.self,
          "kitchen != $FETCH_SOURCE.kitchen AND price < $FETCH_SOURCE.price", sortedBy: "price")
      }
    }
  }
#endif
