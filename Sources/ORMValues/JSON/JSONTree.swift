/// A JSON text taken apart, for decoding.
enum JSONTree {
  case null
  case bool(Bool)
  /// A number as it is written.
  case number(String)
  case string(String)
  case array([JSONTree])
  case object(JSONMembers)

  /// Puts a tree together from what a parser tells.
  struct Builder: JSONHandler {
    private(set) var root = JSONTree.null
    private var open: [Frame] = []

    /// An object or array whose end has not come yet.
    private struct Frame {
      let isObject: Bool
      var name = ""
      var elements: [JSONTree] = []
      var members = JSONMembers()
    }

    mutating func beginObject() { open.append(Frame(isObject: true)) }
    mutating func beginArray() { open.append(Frame(isObject: false)) }

    mutating func end() {
      guard let frame = open.popLast() else { return }
      add(frame.isObject ? .object(frame.members) : .array(frame.elements))
    }

    private mutating func add(_ value: JSONTree) {
      guard let last = open.indices.last else {
        root = value
        return
      }
      if open[last].isObject {
        open[last].members.set(value, for: open[last].name)
      } else {
        open[last].elements.append(value)
      }
    }

    mutating func key(_ token: JSONScanner.StringToken, in scanner: JSONScanner) {
      guard let last = open.indices.last else { return }
      open[last].name = scanner.text(of: token) ?? ""
    }

    mutating func string(_ token: JSONScanner.StringToken, in scanner: JSONScanner) {
      add(.string(scanner.text(of: token) ?? ""))
    }

    mutating func number(_ token: JSONScanner.NumberToken, in scanner: JSONScanner) {
      add(.number(scanner.text(of: token)))
    }

    mutating func bool(_ value: Bool) { add(.bool(value)) }
    mutating func null() { add(.null) }
  }
}

/// The members of a JSON object: names in order, of several alike the last value.
struct JSONMembers {
  private(set) var names: [String] = []
  private var values: [JSONTree] = []
  /// The position of each name; empty until there are so many names that a linear search costs
  /// more.
  private var positions: [String: Int] = [:]

  private static let mostWithoutPositions = 12

  mutating func set(_ value: JSONTree, for name: String) {
    if let position = position(of: name) {
      values[position] = value
      return
    }
    names.append(name)
    values.append(value)
    if !positions.isEmpty {
      positions[name] = names.count - 1
    } else if names.count > Self.mostWithoutPositions {
      for (position, name) in names.enumerated() { positions[name] = position }
    }
  }

  subscript(name: String) -> JSONTree? { position(of: name).map { values[$0] } }

  private func position(of name: String) -> Int? {
    positions.isEmpty ? names.firstIndex(of: name) : positions[name]
  }
}
