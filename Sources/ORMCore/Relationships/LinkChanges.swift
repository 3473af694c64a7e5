internal import FoundationEssentials
internal import ORMStorage

/// One change of a to-many, as a save carries it out.
@usableFromInline
package enum LinkStep<Target: PrimaryKeyed>: Sendable {
  /// Adds a target at the end, or at an index if the to-many is ordered; without an index one that
  /// is there keeps its index.
  case append(LinkElement<Target>, at: Int? = nil)
  /// Moves a target to an index of an ordered to-many.
  case insert(LinkElement<Target>, at: Int)
  /// Takes a target out.
  case remove(Target.ID)
}

/// The changes of a to-many that the program made member by member, on top of links that were
/// fetched or not loaded.
///
/// For fetched links the whole changed list is stored, so a save turns the fetched
/// list into exactly this one. A target is named by one change at most.
@usableFromInline
package struct LinkChanges<Target: PrimaryKeyed>: Sendable {
  private enum Change {
    /// No change: the entry is as it was fetched.
    case none
    case appended
    /// An entry that was removed and appended again.
    case returned
    /// An entry with an index: its own in the list, or this one if the links were not loaded.
    case inserted(Int)
  }

  private struct Entry {
    var element: LinkElement<Target>
    /// The number of its key; nil while it has none.
    var number: Int?
    var change: Change

    /// True if it was given a position before the end of the stored members.
    var isPositioned: Bool {
      switch change {
      case .none, .appended: false
      case .returned, .inserted: true
      }
    }
  }

  /// The graph of the links that were fetched; nil if they were not loaded.
  private let graph: FetchGraph?
  /// The keys that were fetched have the numbers below this one.
  private let fetchedNumbers: Int
  /// All targets in order, or those that were added if the links were not loaded.
  private var entries: [Entry] = []
  /// The targets that were taken out.
  private var removed: [(id: Target.ID, number: Int)] = []
  /// The number of each key that was seen.
  private var numbers = KeyPositions<Target.ID>(of: Target.self)
  /// True for each number whose key an entry has.
  private var isEntry: [Bool] = []
  /// True if entries have no key yet.
  private var hasUnkeyed = false

  /// No changes of links that were not loaded.
  init() {
    graph = nil
    fetchedNumbers = 0
  }

  /// No changes of links that were fetched.
  init(_ targets: LinkTargets<Target.ID>, _ graph: FetchGraph) {
    self.graph = graph
    fetchedNumbers = targets.ids.count
    entries.reserveCapacity(targets.ids.count)
    for id in targets.ids {
      let number = number(of: id)
      isEntry[number] = true
      entries.append(Entry(element: .key(id), number: number, change: .none))
    }
  }

  /// The targets in order; nil if the links were not loaded.
  @usableFromInline var elements: [LinkElement<Target>]? {
    graph == nil ? nil : entries.map(\.element)
  }

  /// The objects in order; nil if one of them is not loaded.
  @usableFromInline var loaded: [Target]? {
    guard let graph else { return nil }
    var objects: [Target] = []
    objects.reserveCapacity(entries.count)
    for entry in entries {
      switch entry.element {
      case .object(let object): objects.append(object)
      case .key(let id):
        guard let object = graph.object(Target.self, id) else { return nil }
        objects.append(object)
      }
    }
    return objects
  }

  /// The changes in the order in which a save carries them out.
  package var steps: [LinkStep<Target>] {
    var steps: [LinkStep<Target>] = removed.map { .remove($0.id) }
    // An index is exact only if the targets behind it are in position by then. So fetched targets that
    // get an index leave their old ones first.
    let positioned = graph == nil ? [] : entries.filter(\.isPositioned)
    if positioned.count > 1 {
      for entry in positioned where entry.number ?? .max < fetchedNumbers {
        steps.append(.append(entry.element, at: .max))
      }
    }
    for (position, entry) in entries.enumerated() {
      let index = graph == nil ? nil : position
      switch entry.change {
      case .none:
        // An object that was given for a fetched one is saved.
        if case .object = entry.element { steps.append(.append(entry.element)) }
      case .appended: steps.append(.append(entry.element))
      case .returned: steps.append(.append(entry.element, at: index ?? .max))
      case .inserted(let given): steps.append(.insert(entry.element, at: index ?? given))
      }
    }
    return steps
  }

  /// Adds a target at the end; one that is there keeps its index.
  mutating func append(_ element: LinkElement<Target>) {
    guard let number = key(of: element) else {
      hasUnkeyed = true
      return entries.append(Entry(element: element, number: nil, change: .appended))
    }
    if isEntry[number] {
      if case .key = element { return }
      if let index = index(of: number) { entries[index].element = element }
      return
    }
    let change: Change = takeBackRemoval(of: number) ? .returned : .appended
    isEntry[number] = true
    entries.append(Entry(element: element, number: number, change: change))
  }

  /// Moves a target to an index, clamped to the list.
  mutating func insert(_ element: LinkElement<Target>, at index: Int) {
    let number = key(of: element)
    if let number {
      if isEntry[number] { entries.removeAll { $0.number == number } }
      _ = takeBackRemoval(of: number)
      isEntry[number] = true
    } else {
      hasUnkeyed = true
    }
    let index = Swift.max(index, 0)
    entries.insert(
      Entry(element: element, number: number, change: .inserted(index)),
      at: graph == nil ? entries.count : Swift.min(index, entries.count))
  }

  /// Takes out the target with a key.
  mutating func remove(_ id: Target.ID) {
    guard let number = key(of: .key(id)) else { return }
    if isEntry[number] { entries.removeAll { $0.number == number } }
    isEntry[number] = false
    if !removed.contains(where: { $0.number == number }) { removed.append((id, number)) }
  }

  /// Takes back that an object of a class model was added.
  mutating func remove(object: AnyObject) {
    entries.removeAll { entry in
      guard entry.number == nil, case .object(let target) = entry.element else { return false }
      return target as AnyObject === object
    }
  }

  /// The number of a key.
  private mutating func number(of id: Target.ID) -> Int {
    let number = numbers.insert(id, at: isEntry.count)
    if number == isEntry.count { isEntry.append(false) }
    return number
  }

  /// The number of a target's key; nil while it has none.
  private mutating func key(of element: LinkElement<Target>) -> Int? {
    if hasUnkeyed, Target.isClass { noteNewKeys() }
    return element.id.isUnassigned(for: Target.self) ? nil : number(of: element.id)
  }

  /// Notes the keys that objects of class models were given by a save.
  private mutating func noteNewKeys() {
    hasUnkeyed = false
    for index in entries.indices where entries[index].number == nil {
      let id = entries[index].element.id
      if id.isUnassigned(for: Target.self) {
        hasUnkeyed = true
      } else {
        let number = number(of: id)
        isEntry[number] = true
        entries[index].number = number
      }
    }
  }

  private func index(of number: Int) -> Int? { entries.firstIndex { $0.number == number } }

  /// Takes back that a target was taken out; says whether it was.
  private mutating func takeBackRemoval(of number: Int) -> Bool {
    guard let index = removed.firstIndex(where: { $0.number == number }) else { return false }
    removed.remove(at: index)
    return true
  }
}

extension PrimaryKey {
  /// True if the key stands for "not given yet".
  package func isUnassigned<Model: PrimaryKeyed>(for model: Model.Type) -> Bool
  where Model.ID == Self {
    switch Model.entity.declared.keySource {
    case .generated: integerKey == 0
    case .uuidV4, .uuidV7: self as? UUID == .unassigned
    case .program, .hidden: false
    }
  }
}
