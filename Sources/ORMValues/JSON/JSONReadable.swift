internal import FoundationEssentials

/// A type that reads itself from JSON, instead of by its `Codable`; each is in ``JSONSpecialTypes``.
protocol JSONReadable: SendableMetatype {
  /// The value; nil when the tree is not one of the type.
  init?(json: JSONValue)
}

/// The types that are ``JSONReadable``.
enum JSONSpecialTypes {
  /// The types by their identities.
  ///
  /// A cast to the protocol would do, but at its first use for any other type the runtime searches every
  /// conformance of the process.
  static let readers: [ObjectIdentifier: any JSONReadable.Type] = {
    let types: [any JSONReadable.Type] = [
      Bool.self, String.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
      UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self, Double.self,
      Float.self, Decimal.self, Date.self, Data.self, URL.self,
    ]
    return Dictionary(uniqueKeysWithValues: types.map { (ObjectIdentifier($0), $0) })
  }()
}

extension Bool: JSONReadable {
  init?(json: JSONValue) {
    guard case .bool(let value) = json else { return nil }
    self = value
  }
}

extension String: JSONReadable {
  init?(json: JSONValue) {
    guard case .string(let value) = json else { return nil }
    self = value
  }
}

extension JSONReadable where Self: FixedWidthInteger {
  init?(json: JSONValue) {
    guard case .number(let text) = json else { return nil }
    if let value = Self(text) {
      self = value
      return
    }
    // A whole number with a fraction or exponent; the exact decimal keeps all its digits.
    guard let parts = DecimalText.parts(of: text.utf8), let value = parts.integer(as: Self.self)
    else { return nil }
    self = value
  }
}

extension Int: JSONReadable {}
extension Int8: JSONReadable {}
extension Int16: JSONReadable {}
extension Int32: JSONReadable {}
extension Int64: JSONReadable {}
extension Int128: JSONReadable {}
extension UInt: JSONReadable {}
extension UInt8: JSONReadable {}
extension UInt16: JSONReadable {}
extension UInt32: JSONReadable {}
extension UInt64: JSONReadable {}
extension UInt128: JSONReadable {}

extension Double: JSONReadable {
  init?(json: JSONValue) {
    guard case .number(let text) = json else { return nil }
    self.init(text)
  }
}

extension Float: JSONReadable {
  init?(json: JSONValue) {
    guard case .number(let text) = json else { return nil }
    self.init(text)
    // Beyond the greatest float, only a number beyond the greatest double too is infinity.
    if isInfinite, Double(text)?.isFinite == true { return nil }
  }
}

extension Decimal: JSONReadable {
  init?(json: JSONValue) {
    guard case .number(let text) = json, let value = DecimalText.decimal(from: text) else {
      return nil
    }
    self = value
  }
}

extension Date: JSONReadable {
  init?(json: JSONValue) {
    guard case .object(let members) = json, members.names.count == 1,
      let seconds = members[JSONTag.date].flatMap(Double.init(json:))
    else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

extension Data: JSONReadable {
  init?(json: JSONValue) {
    guard case .object(let members) = json, members.names.count == 1,
      let text = members[JSONTag.data].flatMap(String.init(json:))
    else { return nil }
    self.init(base64Encoded: text)
  }
}

extension URL: JSONReadable {
  init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(string: text)
  }
}
