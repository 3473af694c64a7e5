internal import ORM

/// Objects and links as plain sets, with the contract's operations on them, done by loops over everything.
///
/// Stores are compared with it (clauses 5.7, 5.8, 2.9).
struct NaiveGraph: Equatable {
  /// An object: its entity and its key.
  struct Object: Hashable, Comparable {
    var entity: Entity
    var id: Int64

    static func < (a: Object, b: Object) -> Bool {
      (a.entity.rawValue, a.id) < (b.entity.rawValue, b.id)
    }
  }

  enum Entity: String, CaseIterable {
    case node = "Node"
    case badge = "Badge"
    case circle = "Circle"
    case note = "Remark"
    case mark = "Mark"
  }

  /// The action of a delete on the object at the other end of a link.
  enum Rule { case nullify, cascade, deny, noAction }

  /// A relationship, from the end that is named here to the other.
  enum Relationship: String, CaseIterable {
    case children, badge, circles, notes, marks, nulled, following, denying, dangling

    var target: Entity {
      switch self {
      case .children: .node
      case .badge: .badge
      case .circles: .circle
      case .notes: .note
      case .marks, .nulled, .following, .denying, .dangling: .mark
      }
    }

    /// True if an owner has at most one target.
    var isToOne: Bool {
      switch self {
      case .badge, .nulled, .following, .denying, .dangling: true
      case .children, .circles, .notes, .marks: false
      }
    }

    /// True if a target has at most one owner.
    var isExclusive: Bool {
      switch self {
      case .children, .badge, .notes: true
      case .circles, .marks, .nulled, .following, .denying, .dangling: false
      }
    }

    var isOrdered: Bool { self == .children }

    /// The action on the target when the owner is deleted.
    var ownerDeleted: Rule { self == .children || self == .notes ? .cascade : .nullify }

    /// The action on the owner when the target is deleted.
    var targetDeleted: Rule {
      switch self {
      case .children, .badge, .notes, .marks, .nulled: .nullify
      case .circles, .denying: .deny
      case .following: .cascade
      case .dangling: .noAction
      }
    }
  }

  /// A link; the links of an owner are in their order.
  struct Link: Equatable {
    var relationship: Relationship
    var owner: Int64
    var target: Int64
  }

  /// The errors that a step may be refused for; of two faults in one operation either may be
  /// reported.
  struct Refusal: RandomRefusal {
    var codes: Set<StoreError.Code>

    static let denied = Refusal(codes: [.denied])
    static let missingTarget = Refusal(codes: [.missingTarget])
    static let notFound = Refusal(codes: [.notFound])
    static let missingEither = Refusal(codes: [.missingTarget, .notFound])
  }

  var labels: [Object: Int] = [:]
  var links: [Link] = []

  /// The targets of a node, in order where there is one, else by key.
  func targets(_ relationship: Relationship, of owner: Int64) -> [Int64] {
    let found = links.filter { $0.relationship == relationship && $0.owner == owner }
      .map(\.target)
    return relationship.isOrdered ? found : found.sorted()
  }

  /// Saves an object; a new one has no links.
  mutating func save(_ object: Object, label: Int = 0) { labels[object] = label }

  /// Gives a node these targets and no others; a link that was left behind may be written again.
  mutating func set(_ relationship: Relationship, of owner: Int64, to targets: [Int64]) throws {
    for target in targets {
      let link = Link(relationship: relationship, owner: owner, target: target)
      if !links.contains(link) { try require(relationship, target) }
    }
    links.removeAll { $0.relationship == relationship && $0.owner == owner }
    for target in targets { link(relationship, owner, target) }
  }

  /// Gives a node one more target, at the end; one it has already stays where it is.
  mutating func add(_ relationship: Relationship, _ target: Int64, to owner: Int64) throws {
    try require(relationship, target)
    let link = Link(relationship: relationship, owner: owner, target: target)
    if !links.contains(link) { self.link(relationship, owner, target) }
  }

  /// Takes a target from a node.
  mutating func remove(_ relationship: Relationship, _ target: Int64, from owner: Int64) {
    links.removeAll { $0 == Link(relationship: relationship, owner: owner, target: target) }
  }

  /// Gives a target an index among those of a node; past the end is the end.
  mutating func move(
    _ relationship: Relationship, _ target: Int64, to index: Int, of owner: Int64
  ) {
    var order = targets(relationship, of: owner).filter { $0 != target }
    order.insert(target, at: min(index, order.count))
    links.removeAll { $0.relationship == relationship && $0.owner == owner }
    links += order.map { Link(relationship: relationship, owner: owner, target: $0) }
  }

  private func require(_ relationship: Relationship, _ target: Int64) throws {
    let object = Object(entity: relationship.target, id: target)
    guard labels[object] != nil else { throw Refusal.missingTarget }
  }

  private mutating func link(_ relationship: Relationship, _ owner: Int64, _ target: Int64) {
    links.removeAll {
      $0.relationship == relationship
        && (relationship.isExclusive && $0.target == target
          || relationship.isToOne && $0.owner == owner)
    }
    links.append(Link(relationship: relationship, owner: owner, target: target))
  }

  /// Deletes objects, with all that the delete rules delete.
  mutating func delete(_ objects: Set<Object>) throws {
    var deletions = objects.filter { labels[$0] != nil }
    var grown = true
    while grown {
      grown = false
      for link in links {
        let (owner, target) = ends(of: link)
        if deletions.contains(owner), !deletions.contains(target), labels[target] != nil,
          link.relationship.ownerDeleted == .cascade
        {
          deletions.insert(target)
          grown = true
        }
        if deletions.contains(target), !deletions.contains(owner),
          link.relationship.targetDeleted == .cascade
        {
          deletions.insert(owner)
          grown = true
        }
      }
    }
    for link in links {
      let (owner, target) = ends(of: link)
      if deletions.contains(target), !deletions.contains(owner),
        link.relationship.targetDeleted == .deny
      {
        throw Refusal.denied
      }
    }
    links = links.filter { link in
      let (owner, target) = ends(of: link)
      return !deletions.contains(owner)
        && (!deletions.contains(target) || link.relationship.targetDeleted == .noAction)
    }
    for deletion in deletions { labels[deletion] = nil }
  }

  private func ends(of link: Link) -> (owner: Object, target: Object) {
    (
      Object(entity: .node, id: link.owner),
      Object(entity: link.relationship.target, id: link.target)
    )
  }
}
