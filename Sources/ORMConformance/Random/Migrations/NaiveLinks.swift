/// The links between `Left` and `Right` as lists of keys, and the effect of a change of their declaration.
struct NaiveLinks {
  /// The keys of `Right` of each `Left`, and those of `Left` of each `Right`: each list in the order
  /// that an ordered relationship of the form has, or else by key.
  var targets: [Int64: [Int64]]
  var owners: [Int64: [Int64]]

  /// Links of every kind, as far as a form takes them: several targets, several owners, objects
  /// without links, and orders that are not those of the keys.
  init(_ form: LinkForm) {
    let all = NaiveLinks(
      targets: [1: [3, 1, 2], 2: [2, 4], 3: [], 4: [5, 3]],
      owners: [1: [1], 2: [2, 1], 3: [4, 1], 4: [2], 5: [4], 6: []])
    // A form that takes fewer begins with the first of them.
    self = all.limited(to: form, byLeft: form.left != nil).links.sorted(as: form)
  }

  private init(targets: [Int64: [Int64]], owners: [Int64: [Int64]]) {
    self.targets = targets
    self.owners = owners
  }

  /// An object that has more links than a declaration takes.
  struct Surplus: Hashable {
    let entity: String
    let key: Int64
  }

  /// Returns the links that are left if each object that takes one keeps its first, and the objects
  /// that lose some.
  ///
  /// - Parameter byLeft: true if the relationship of `Left` is the one that moves: of a one-to-one, its
  ///   objects choose first.
  func limited(to form: LinkForm, byLeft: Bool) -> (links: NaiveLinks, surplus: Set<Surplus>) {
    var links = self
    var surplus: Set<Surplus> = []
    func keepFirst(ofLeft isLeft: Bool) {
      guard isLeft ? form.takesOneRight : form.takesOneLeft else { return }
      for (key, others) in isLeft ? links.targets : links.owners where others.count > 1 {
        surplus.insert(Surplus(entity: isLeft ? "Left" : "Right", key: key))
        for other in others.dropFirst() {
          links.targets[isLeft ? key : other]?.removeAll { $0 == (isLeft ? other : key) }
          links.owners[isLeft ? other : key]?.removeAll { $0 == (isLeft ? key : other) }
        }
      }
    }
    keepFirst(ofLeft: byLeft)
    // The objects of a one-to-one that were not chosen first keep the one with the least key.
    if form.takesOneRight && form.takesOneLeft {
      if byLeft {
        links.owners = links.owners.mapValues { $0.sorted() }
      } else {
        links.targets = links.targets.mapValues { $0.sorted() }
      }
    }
    keepFirst(ofLeft: !byLeft)
    return (links, surplus)
  }

  /// Returns the links with the lists of relationships without an order by key.
  func sorted(as form: LinkForm) -> NaiveLinks {
    NaiveLinks(
      targets: form.left == .ordered ? targets : targets.mapValues { $0.sorted() },
      owners: form.right == .ordered ? owners : owners.mapValues { $0.sorted() })
  }
}
