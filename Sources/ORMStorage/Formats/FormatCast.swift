internal import Foundation
internal import ORMValues

/// The types a literal can be cast to.
package enum FormatCast: String, CaseIterable {
  case date = "NSDate"
  case uuid = "NSUUID"
  case decimal = "NSDecimalNumber"
  case data = "NSData"
  case double, integer, text, json

  package init?(name: String) {
    guard let type = Self.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() })
    else { return nil }
    self = type
  }
}
