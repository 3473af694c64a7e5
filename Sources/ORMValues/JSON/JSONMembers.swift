/// The members of a JSON object: names in order, each with its value.
public struct JSONMembers: Sendable {
  /// The names in the order in which they came.
  public private(set) var names: [String] = []
  private var values: [JSONValue] = []
  /// The position of each name; empty while there are so few names that a linear search costs less.
  private var positions: [ExactText: Int] = [:]

  private static let mostWithoutPositions = 12

  /// No members.
  public init() {}

  /// The value of a member; nil where there is none of the name, and setting nil removes it.
  ///
  /// A new member comes last, and one that is set again keeps its position.
  public subscript(name: String) -> JSONValue? {
    get { position(of: name).map { values[$0] } }
    set {
      guard let newValue else { return remove(name) }
      if let position = position(of: name) {
        values[position] = newValue
        return
      }
      names.append(name)
      values.append(newValue)
      if !positions.isEmpty {
        positions[name] = names.count - 1
      } else if names.count > Self.mostWithoutPositions {
        findPositions()
      }
    }
  }

  private mutating func remove(_ name: String) {
    guard let position = position(of: name) else { return }
    names.remove(at: position)
    values.remove(at: position)
    if !positions.isEmpty { findPositions() }
  }

  private mutating func findPositions() {
    positions = [:]
    for (position, name) in names.enumerated() { positions[name] = position }
  }

  private func position(of name: String) -> Int? {
    positions.isEmpty ? names.firstIndex { $0.hasSameScalars(as: name) } : positions[name]
  }
}

extension JSONMembers: RandomAccessCollection {
  /// The position of the first member.
  public var startIndex: Int { 0 }
  /// The position after the last member.
  public var endIndex: Int { names.count }
  /// The member at a position.
  public subscript(position: Int) -> (name: String, value: JSONValue) {
    (names[position], values[position])
  }
}

extension JSONMembers: Equatable {
  /// Returns whether two objects have the same members, in any order.
  public static func == (a: JSONMembers, b: JSONMembers) -> Bool {
    a.count == b.count && a.allSatisfy { b[$0.name] == $0.value }
  }
}

extension JSONMembers: ExpressibleByDictionaryLiteral {
  /// Makes members in the order of the literal; of members with one name the last counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }
}
