internal import FoundationEssentials

/// A type that has a form of its own in JSON, instead of the one its `Codable` makes.
protocol JSONRepresentable {
  /// The form; nil to leave it to `Encodable` after all.
  func jsonFragment(at path: JSONPath) throws -> JSONFragment?
}

extension Bool: JSONRepresentable {
  func jsonFragment(at path: JSONPath) -> JSONFragment? { .text(self ? "true" : "false") }
}

extension String: JSONRepresentable {
  func jsonFragment(at path: JSONPath) -> JSONFragment? { .string(self) }
}

extension JSONRepresentable where Self: BinaryInteger {
  func jsonFragment(at path: JSONPath) -> JSONFragment? { .text(description) }
}

extension Int: JSONRepresentable {}
extension Int8: JSONRepresentable {}
extension Int16: JSONRepresentable {}
extension Int32: JSONRepresentable {}
extension Int64: JSONRepresentable {}
extension Int128: JSONRepresentable {}
extension UInt: JSONRepresentable {}
extension UInt8: JSONRepresentable {}
extension UInt16: JSONRepresentable {}
extension UInt32: JSONRepresentable {}
extension UInt64: JSONRepresentable {}
extension UInt128: JSONRepresentable {}

extension Double: JSONRepresentable {
  func jsonFragment(at path: JSONPath) throws -> JSONFragment? {
    if isNaN { throw StoreError(.invalidValue, "NaN cannot be stored, at \(path)") }
    return .text(JSONWriter.text(of: self))
  }
}

extension Float: JSONRepresentable {
  func jsonFragment(at path: JSONPath) throws -> JSONFragment? {
    isFinite ? .text(description) : try Double(self).jsonFragment(at: path)
  }
}

extension Decimal: JSONRepresentable {
  func jsonFragment(at path: JSONPath) throws -> JSONFragment? {
    if isNaN { throw StoreError(.invalidValue, "NaN cannot be stored, at \(path)") }
    return .text(DecimalText.text(of: self))
  }
}

extension Date: JSONRepresentable {
  func jsonFragment(at path: JSONPath) throws -> JSONFragment? {
    let node = JSONNode(.object)
    node.checkDepth(of: path)
    guard let seconds = try timeIntervalSinceReferenceDate.jsonFragment(at: path) else {
      return nil
    }
    node.set(seconds, for: JSONTag.date)
    return .node(node)
  }
}

extension Data: JSONRepresentable {
  func jsonFragment(at path: JSONPath) -> JSONFragment? {
    let node = JSONNode(.object)
    node.checkDepth(of: path)
    node.set(.string(base64EncodedString()), for: JSONTag.data)
    return .node(node)
  }
}

extension URL: JSONRepresentable {
  func jsonFragment(at path: JSONPath) -> JSONFragment? { .string(absoluteString) }
}

/// Its own order changes from run to run, so the elements go by their texts.
extension Set: JSONRepresentable where Element: Encodable {
  func jsonFragment(at path: JSONPath) throws -> JSONFragment? {
    let node = JSONNode(.array)
    node.checkDepth(of: path)
    node.elements = try map { try $0.jsonText(at: JSONPath(path.keys, index: 0)) }
      .sorted { ByteOrder.compare($0, $1) == .less }
      .map(JSONFragment.text)
    return .node(node)
  }
}

/// A sorted form, as for sets, if the keys are not names: key and value in turn, as `Dictionary` decodes
/// them.
extension Dictionary: JSONRepresentable where Key: Encodable, Value: Encodable {
  func jsonFragment(at path: JSONPath) throws -> JSONFragment? {
    if Key.self is any CodingKeyRepresentable.Type { return nil }
    let node = JSONNode(.array)
    node.checkDepth(of: path)
    let inner = JSONPath(path.keys, index: 0)
    node.elements = try map { try ($0.key.jsonText(at: inner), $0.value.jsonText(at: inner)) }
      .sorted { ByteOrder.compare($0.0, $1.0) == .less }
      .flatMap { [.text($0.0), .text($0.1)] }
    return .node(node)
  }
}

extension Encodable {
  /// The text of the value, for sorting by it.
  fileprivate func jsonText(at path: JSONPath) throws -> String {
    var writer = JSONWriter()
    try JSONEncoding.fragment(of: self, at: path).write(to: &writer)
    return writer.text
  }
}
