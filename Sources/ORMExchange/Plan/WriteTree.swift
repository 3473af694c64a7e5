internal import ORM

/// The JSON of a model as a tree, with its attributes as leaves.
enum WriteTree: Sendable {
  case object([(name: String, value: WriteTree)], presence: Int?)
  case array([WriteTree?])
  case column(Int)
  /// An attribute that is an array, each element at its index on a path.
  case elements(Int, path: [PathStep])
  case link(Int)
  case text(String)

  /// The tree of an object without members.
  static let empty = WriteTree.object([], presence: nil)

  /// Adds a leaf; false if the path is taken, or is of another form.
  mutating func add(_ path: ArraySlice<PathStep>, _ leaf: WriteTree) -> Bool {
    guard let first = path.first else { return false }
    let rest = path.dropFirst()
    switch (self, first) {
    case (.object(var members, let presence), .name(let name)):
      if let known = members.firstIndex(where: { $0.name.hasSameScalars(as: name) }) {
        if !members[known].value.add(rest, leaf) { return false }
      } else {
        guard let value = Self.made(rest, leaf) else { return false }
        members.append((name, value))
      }
      self = .object(members, presence: presence)
      return true
    case (.array(var elements), .index(let index)):
      while elements.count <= index { elements.append(nil) }
      if var known = elements[index] {
        if !known.add(rest, leaf) { return false }
        elements[index] = known
      } else {
        guard let value = Self.made(rest, leaf) else { return false }
        elements[index] = value
      }
      self = .array(elements)
      return true
    default: return false
    }
  }

  /// The tree of a path that leads to a leaf.
  private static func made(_ path: ArraySlice<PathStep>, _ leaf: WriteTree) -> WriteTree? {
    guard let first = path.first else { return leaf }
    var tree: WriteTree
    switch first {
    case .name: tree = .empty
    case .index: tree = .array([])
    case .each:
      guard case .column(let column) = leaf, !path.dropFirst().contains(.each) else { return nil }
      return .elements(column, path: Array(path.dropFirst()))
    }
    return tree.add(path, leaf) ? tree : nil
  }

  /// Makes the object at a path depend on a column that marks it as present; false where there is
  /// none.
  mutating func mark(_ path: ArraySlice<PathStep>, with column: Int) -> Bool {
    guard case .object(var members, let presence) = self else { return false }
    guard let first = path.first else {
      self = .object(members, presence: column)
      return true
    }
    guard case .name(let name) = first,
      let position = members.firstIndex(where: { $0.name.hasSameScalars(as: name) }),
      members[position].value.mark(path.dropFirst(), with: column)
    else { return false }
    self = .object(members, presence: presence)
    return true
  }
}
