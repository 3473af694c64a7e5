internal import Foundation
internal import ORMValues

/// The types a value can be cast to.
package enum FormatCast: String, CaseIterable {
  case date = "NSDate"
  case uuid = "NSUUID"
  case decimal = "NSDecimalNumber"
  case data = "NSData"
  case double, integer, text, json

  /// The kind of value that an attribute is cast to.
  package var kind: AttributeType.Kind {
    switch self {
    case .date: .date
    case .uuid: .uuid
    case .decimal: .decimal
    case .data: .data
    case .double: .double
    case .integer: .int
    case .text: .string
    case .json: .json
    }
  }

  /// Makes the type of a kind of value; nil if nothing is cast to that.
  package init?(_ kind: AttributeType.Kind) {
    guard let type = Self.allCases.first(where: { $0.kind == kind }) else { return nil }
    self = type
  }

  package init?(name: String) {
    if name.lowercased() == "nsstring" {
      self = .text
      return
    }
    guard let type = Self.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() })
    else { return nil }
    self = type
  }
}
