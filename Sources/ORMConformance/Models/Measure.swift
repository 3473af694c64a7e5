internal import Foundation
internal import ORM

/// Numbers of every kind, each stored without and with an index.
struct Measure: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var int: Int64? { didSet { intIndexed = int } }
  var unsigned: UInt64? { didSet { unsignedIndexed = unsigned } }
  var double: Double? { didSet { doubleIndexed = double } }
  var decimal: Decimal? { didSet { decimalIndexed = decimal } }
  var date: Date? { didSet { dateIndexed = date } }
  private(set) var intIndexed: Int64?
  private(set) var unsignedIndexed: UInt64?
  private(set) var doubleIndexed: Double?
  private(set) var decimalIndexed: Decimal?
  private(set) var dateIndexed: Date?

  init(_ id: Int64, _ set: (inout Measure) -> Void = { _ in }) {
    self.id = id
    set(&self)
  }

  static let entity = Entity<Measure>("Measure") {
    .key("id", \.id)
      .attribute("int", \.int)
      .attribute("unsigned", \.unsigned)
      .attribute("double", \.double)
      .attribute("decimal", \.decimal)
      .attribute("date", \.date)
      .attribute("intIndexed", \.intIndexed, .indexed)
      .attribute("unsignedIndexed", \.unsignedIndexed, .indexed)
      .attribute("doubleIndexed", \.doubleIndexed, .indexed)
      .attribute("decimalIndexed", \.decimalIndexed, .indexed)
      .attribute("dateIndexed", \.dateIndexed, .indexed(.descending))
  }
}
