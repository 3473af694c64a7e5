/// The path from the top to a value that is encoded or decoded.
///
/// The last key is a property of its own, so that a step to a member makes no new array.
struct JSONPath: CustomStringConvertible {
  private let parents: [any CodingKey]
  private let last: (any CodingKey)?

  init(_ parents: [any CodingKey], _ last: (any CodingKey)? = nil) {
    self.parents = parents
    self.last = last
  }

  /// The element at a position of an array that is at a path.
  init(_ parents: [any CodingKey], index: Int) {
    self.init(parents, JSONPathKey(intValue: index))
  }

  var count: Int { parents.count + (last == nil ? 0 : 1) }

  var keys: [any CodingKey] {
    if let last { parents + [last] } else { parents }
  }

  /// The path as a person would write it: `$.address.lines[0]`.
  var description: String {
    keys.reduce(into: "$") { path, key in
      if let index = key.intValue { path += "[\(index)]" } else { path += "." + key.stringValue }
    }
  }
}

/// An index into an array, or the member that holds a superclass.
struct JSONPathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  static let superclass = JSONPathKey(stringValue: "super")
}
