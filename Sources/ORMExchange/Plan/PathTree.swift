internal import ORM

/// The paths of a mapping as a tree of member names, while it is being put together.
final class PathTree {
  /// A thing that a path leads to.
  enum Target {
    case column(Int, rank: UInt8)
    case link(Int, rank: UInt8)
    /// The mark of an embedded struct: true where there is an object.
    case presence(Int)
    /// No target: the value is read elsewhere, such as the text that names the kind of a record.
    case elsewhere
    /// No target but for null: records of other kinds have a value there.
    case otherKind
  }

  private(set) var names: [String] = []
  private(set) var children: [ExactText: PathTree] = [:]
  /// The uses of the value of this member.
  private(set) var targets: [Target] = []
  /// The uses of values on paths through arrays that begin here.
  private(set) var arrays: [(path: [PathStep], target: Target)] = []

  /// Adds a path.
  func add(_ path: ArraySlice<PathStep>, _ target: Target) {
    guard let first = path.first else {
      targets.append(target)
      return
    }
    guard case .name(let name) = first else {
      arrays.append((Array(path), target))
      return
    }
    let child: PathTree
    if let known = children[name] {
      child = known
    } else {
      child = PathTree()
      names.append(name)
      children[name] = child
    }
    child.add(path.dropFirst(), target)
  }

  /// Every target from here on with the path that leads to it.
  var all: [(path: [PathStep], target: Target)] {
    targets.map { ([], $0) } + arrays
      + names.flatMap { name in
        (children[name]?.all ?? []).map { ([.name(name)] + $0.path, $0.target) }
      }
  }

  /// True if the member holds an object whose members are read one by one.
  var isObject: Bool {
    arrays.isEmpty && !children.isEmpty
      && targets.allSatisfy { if case .presence = $0 { true } else { false } }
  }
}
