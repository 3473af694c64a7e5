#if Macros
  internal import Foundation
  internal import ORM
  @testable internal import ORMConformance

  /// The models of the conformance suite, made by the macro: the same names, the same entities.
  enum MacroMade {
    @Persistable
    struct Snack: Hashable {
      @PrimaryKey var id: Int64
      @Attribute(.indexed, .indexed(.caseInsensitive)) var name: String
      var taste: String?
      @Attribute(.indexed) var price: Double?
      var stock: Int?
      @Attribute(.indexed(.elements)) var tags: [String]
    }

    @Persistable
    struct Everything: Hashable {
      @PrimaryKey var id: Int
      var bool: Bool
      var int8: Int8
      var int16: Int16
      var int32: Int32
      var int64: Int64
      var int: Int
      var uint8: UInt8
      var uint16: UInt16
      var uint32: UInt32
      var uint64: UInt64
      var uint: UInt
      var float: Float
      var double: Double
      var string: String
      var data: Data
      var bytes: [UInt8]
      var date: Date
      var uuid: UUID
      var decimal: Decimal
      var url: URL
      var size: ORMConformance.Everything.Size
      var level: ORMConformance.Everything.Level
      var ints: [Int]
      var strings: Set<String>
    }

    @Persistable
    struct Anything: Hashable {
      @PrimaryKey var id: Int
      var bool: Bool?
      var int8: Int8?
      var int64: Int64?
      var uint32: UInt32?
      var uint64: UInt64?
      var float: Float?
      var double: Double?
      var string: String?
      var data: Data?
      var bytes: [UInt8]?
      var date: Date?
      var uuid: UUID?
      var decimal: Decimal?
      var url: URL?
      var size: ORMConformance.Everything.Size?
      var ints: [Int]?
      var doubles: [Double]?
      var strings: Set<String>?
    }

    /// Stored properties with observers, and setters of the model's own.
    @Persistable
    struct Measure: Hashable {
      @PrimaryKey var id: Int64
      var int: Int64? { didSet { intIndexed = int } }
      var unsigned: UInt64? { didSet { unsignedIndexed = unsigned } }
      var double: Double? { didSet { doubleIndexed = double } }
      var decimal: Decimal? { didSet { decimalIndexed = decimal } }
      var date: Date? { didSet { dateIndexed = date } }
      @Attribute(.indexed) private(set) var intIndexed: Int64?
      @Attribute(.indexed) private(set) var unsignedIndexed: UInt64?
      @Attribute(.indexed) private(set) var doubleIndexed: Double?
      @Attribute(.indexed) private(set) var decimalIndexed: Decimal?
      @Attribute(.indexed(.descending)) private(set) var dateIndexed: Date?

      init(_ id: Int64) { self.id = id }
    }

    @Persistable
    struct Garment: Hashable {
      @PrimaryKey var id: Int64
      @Attribute(.fallback(ORMConformance.Colour.other), .indexed)
      var colour: ORMConformance.Colour
      @Attribute(.fallback(ORMConformance.Colour.other)) var lining: ORMConformance.Colour?
      @Attribute(.fallback(Fit.unknown)) var fit: Fit
      var strict: ORMConformance.Colour?
      var label: String
    }

    @Persistable
    struct Bag: Hashable {
      @PrimaryKey var id: Int64
      @Attribute(.indexed(.elements)) var words: Set<String>
      var numbers: Set<UInt64>
      @Attribute(.indexed(.elements)) var days: Set<Date>?
    }

    @Persistable
    struct Word: Hashable {
      @PrimaryKey var id: Int64
      var plain: String?
      @Attribute(.indexed) var indexed: String?
      @Attribute(.indexed(.caseInsensitive)) var folded: String?
    }

    @Persistable
    struct NormalWord: Hashable {
      @PrimaryKey var id: Int64
      @Attribute(.normalized, .unique) var normal: String
      @Attribute(.indexed) var free: String
    }

    @Persistable
    struct Leaflet: Equatable {
      @PrimaryKey var id: Int64
      @Attribute(.json) var content: ORMConformance.Leaflet.Content
    }
  }
#endif
