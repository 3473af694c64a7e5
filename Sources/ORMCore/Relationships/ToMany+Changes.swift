// Changes member by member: a save carries them out without reading the other members.
extension ToMany {
  /// Adds an object at the end, which a save stores too.
  ///
  /// A save leaves the other members as they are, whether they were fetched or not:
  ///
  /// ```swift
  /// var team = try store.find(Team.self, 7)!    // its players are not loaded
  /// team.players.append(Player(name: "Bo"))
  /// team.players.remove(key: 3)
  /// try store.save(team)
  /// ```
  ///
  /// A member keeps its index, and the object given here is saved. A member of another owner of a
  /// one-to-many moves. The value keeps its changes when it is saved; the object that the save
  /// returns has none.
  public mutating func append(_ target: Target) { append(.object(target)) }

  /// Adds objects at the end, which a save stores too.
  ///
  /// ```swift
  /// team.players.append(contentsOf: [p1, p2])
  /// try store.save(team)
  /// ```
  public mutating func append(contentsOf targets: some Sequence<Target>) {
    for target in targets { append(.object(target)) }
  }

  /// Adds the object with a key at the end.
  ///
  /// ```swift
  /// team.players.append(key: 3)
  /// try store.save(team)
  /// ```
  ///
  /// The object must be stored when the owner is saved, which otherwise throws `missingTarget`.
  public mutating func append(key: Target.ID) { append(.key(key)) }

  /// Adds an object at an index of an ordered to-many, or moves it there; a save stores it too.
  ///
  /// The index is the one that the object has afterwards; one past the end is the end, and a
  /// negative one the start. If the links were not loaded, it counts in the links that are stored when the
  /// owner is saved, after everything that is appended or removed. A save throws `invalidValue` if the
  /// to-many is not ordered.
  ///
  /// ```swift
  /// book.chapters.insert(preface, at: 0)
  /// ```
  public mutating func insert(_ target: Target, at index: Int) {
    insert(.object(target), at: index)
  }

  /// Adds the object with a key at an index of an ordered to-many, or moves it there.
  ///
  /// ```swift
  /// var book = try store.find(Book.self, 1)!
  /// book.chapters.insert(key: 3, at: 0)
  /// try store.save(book)
  /// ```
  ///
  /// The object must be stored when the owner is saved, which otherwise throws `missingTarget`.
  public mutating func insert(key: Target.ID, at index: Int) { insert(.key(key), at: index) }

  /// Takes an object out; it stays stored.
  ///
  /// ```swift
  /// team.players.remove(p1)
  /// try store.save(team)
  /// ```
  ///
  /// Nothing happens if it is not a member. An object without a key can be taken out only if it is
  /// of a class model and was added to this value.
  public mutating func remove(_ target: Target) {
    guard target.id.isUnassigned(for: Target.self) else { return remove(key: target.id) }
    guard Target.isClass else { return }
    let object = target as AnyObject
    change { elements in
      elements.removeAll { element in
        if case .object(let other) = element { other as AnyObject === object } else { false }
      }
    } or: {
      $0.remove(object: object)
    }
  }

  /// Takes the object with a key out; it stays stored.
  ///
  /// ```swift
  /// team.players.remove(key: 3)
  /// try store.save(team)
  /// ```
  ///
  /// Nothing happens if it is not a member.
  public mutating func remove(key: Target.ID) {
    change {
      Self.remove(key, from: &$0)
    } or: {
      $0.remove(key)
    }
  }

  private mutating func append(_ element: LinkElement<Target>) {
    change {
      $0.append(element)
    } or: {
      $0.append(element)
    }
  }

  private mutating func insert(_ element: LinkElement<Target>, at index: Int) {
    change { elements in
      if !element.id.isUnassigned(for: Target.self) { Self.remove(element.id, from: &elements) }
      elements.insert(element, at: Swift.min(Swift.max(index, 0), elements.count))
    } or: {
      $0.insert(element, at: index)
    }
  }

  /// Removes the elements with a key, told apart from others as stores do it.
  private static func remove(_ key: Target.ID, from elements: inout [LinkElement<Target>]) {
    var only = KeyPositions<Target.ID>(of: Target.self)
    _ = only.insert(key, at: 0)
    elements.removeAll { only.position(of: $0.id) != nil }
  }

  /// Changes the elements if the program has set them, and the noted changes otherwise.
  private mutating func change(
    _ set: (inout [LinkElement<Target>]) -> Void, or body: (inout LinkChanges<Target>) -> Void
  ) {
    var changes: LinkChanges<Target>
    switch state {
    case .set(var elements):
      // The old state is cleared first, so that the list is not copied.
      state = .notLoaded
      set(&elements)
      state = .set(elements)
      return
    case .notLoaded: changes = LinkChanges()
    case .fetched(let targets, let graph): changes = LinkChanges(targets, graph)
    case .changed(let known): changes = known
    }
    state = .notLoaded
    body(&changes)
    state = .changed(changes)
  }
}

/// A change of links that were not loaded, by the target's key.
enum LinkChange<ID: PrimaryKey>: Hashable {
  case append(ID, at: Int?)
  case insert(ID, at: Int)
  case remove(ID)

  /// Returns whether two changes are the same; texts in keys are compared by scalars.
  static func == (a: LinkChange, b: LinkChange) -> Bool {
    switch (a, b) {
    case (.append(let a, let index), .append(let b, let other)):
      index == other && ID.isStored(a, as: b)
    case (.insert(let a, let index), .insert(let b, let other)):
      index == other && ID.isStored(a, as: b)
    case (.remove(let a), .remove(let b)): ID.isStored(a, as: b)
    default: false
    }
  }
}

extension ToMany {
  /// The changes of links that were not loaded; nil where there are none, or the whole list is known.
  var unappliedChanges: [LinkChange<Target.ID>]? {
    guard case .changed(let changes) = state, changes.elements == nil else { return nil }
    return changes.steps.map { step in
      switch step {
      case .append(let element, let index): .append(element.id, at: index)
      case .insert(let element, let index): .insert(element.id, at: index)
      case .remove(let id): .remove(id)
      }
    }
  }
}

/// Changes of links that were not loaded, for formats that are no store.
struct CodedChanges<Target: PrimaryKeyed>: Codable {
  struct Change: Codable {
    var append: LinkKey<Target>?
    var insert: LinkKey<Target>?
    var at: Int?
    var remove: LinkKey<Target>?
  }

  var changes: [Change]

  init(_ changes: [LinkChange<Target.ID>]) {
    self.changes = []
    for change in changes {
      switch change {
      case .append(let id, let index):
        // One that was taken out before goes to the end.
        if index != nil { self.changes.append(Change(remove: LinkKey(id))) }
        self.changes.append(Change(append: LinkKey(id)))
      case .insert(let id, let index):
        self.changes.append(Change(insert: LinkKey(id), at: index))
      case .remove(let id): self.changes.append(Change(remove: LinkKey(id)))
      }
    }
  }

  /// Makes the changes.
  func apply(to links: inout ToMany<Target>) {
    for change in changes {
      if let key = change.append {
        links.append(key: key.id)
      } else if let key = change.insert {
        links.insert(key: key.id, at: change.at ?? .max)
      } else if let key = change.remove {
        links.remove(key: key.id)
      }
    }
  }
}
