internal import ORM
internal import ORMObservation

/// Objects and links of a random shape as plain lists, with the contract's operations on them, done by loops
/// over everything.
///
/// Stores are compared with it (clauses 5.7, 5.8, 2.9).
struct ShapedGraph {
  /// An object: its entity and the number of its key.
  struct Object: Hashable, Comparable {
    var kind: Int
    var id: Int

    static func < (a: Object, b: Object) -> Bool { (a.kind, a.id) < (b.kind, b.id) }
  }

  /// A link of a bond, by the numbers of both ends.
  struct Link: Hashable {
    var source: Int
    var target: Int

    /// The number at one end.
    func id(atSource isSource: Bool) -> Int { isSource ? source : target }
  }

  /// The errors that a step may be refused for.
  ///
  /// Of several faults in one operation any may be reported.
  struct Refusal: RandomRefusal {
    var codes: Set<StoreError.Code>

    init(_ codes: StoreError.Code...) { self.codes = Set(codes) }
    init(_ codes: Set<StoreError.Code>) { self.codes = codes }
  }

  let shape: GraphShape
  var labels: [Object: Int] = [:]
  /// The links of each bond in the order of the sources' targets; those that lead to nothing are
  /// among them as long as a key is stored.
  private(set) var links: [[Link]]
  /// The same links in the order of the targets' sources.
  private(set) var backLinks: [[Link]]
  /// The greatest key of the first entity ever.
  private var greatest = 0

  init(_ shape: GraphShape) {
    self.shape = shape
    links = Array(repeating: [], count: shape.bonds.count)
    backLinks = links
  }

  /// The key that the store gives to the next object of the first entity.
  var nextKey: Int { greatest + 1 }

  func contains(_ kind: Int, _ id: Int) -> Bool { labels[Object(kind: kind, id: id)] != nil }

  /// The objects of an entity with a label below a number, in the order of their keys.
  func ids(_ kind: Int, below bound: Int = .max) -> [Int] {
    labels.filter { $0.key.kind == kind && $0.value < bound }.map(\.key.id).sorted { a, b in
      kind == 2 ? (a % 2, a / 2) < (b % 2, b / 2) : a < b
    }
  }

  mutating func put(_ object: Object, label: Int) {
    labels[object] = label
    if object.kind == 0 { greatest = max(greatest, object.id) }
  }

  /// The ends of a link.
  func object(_ link: Link, _ bond: Int, atSource isSource: Bool) -> Object {
    Object(kind: shape.bonds[bond].kind(ofSource: isSource), id: link.id(atSource: isSource))
  }

  /// Returns the objects at the other end of an object's links, in order.
  ///
  /// Objects that do not exist are left out unless `dangling` is true.
  func others(
    _ reference: GraphShape.Reference, of id: Int, dangling: Bool = false
  ) -> [Int] {
    let list = reference.isSource ? links[reference.bond] : backLinks[reference.bond]
    let kind = shape.bonds[reference.bond].kind(ofSource: !reference.isSource)
    return list.filter { $0.id(atSource: reference.isSource) == id }
      .map { $0.id(atSource: !reference.isSource) }
      .filter { dangling || contains(kind, $0) }
  }

  func isLinked(_ link: Link, _ bond: Int) -> Bool { links[bond].contains(link) }

  mutating func unlink(_ bond: Int, where isRemoved: (Link) -> Bool) {
    links[bond].removeAll(where: isRemoved)
    backLinks[bond].removeAll(where: isRemoved)
  }

  /// Adds a link at the end of both orders; one that is there stays where it is.
  ///
  /// An end that holds one link alone releases its former one.
  mutating func link(_ link: Link, _ bond: Int) {
    if isLinked(link, bond) { return }
    let kind = shape.bonds[bond]
    unlink(bond) {
      kind.isSourceOne && $0.source == link.source || kind.isTargetOne && $0.target == link.target
    }
    links[bond].append(link)
    backLinks[bond].append(link)
  }

  /// Gives the others of an object an order.
  mutating func order(_ reference: GraphShape.Reference, of id: Int, _ others: [Int]) {
    let new = others.map {
      reference.isSource ? Link(source: id, target: $0) : Link(source: $0, target: id)
    }
    if reference.isSource {
      links[reference.bond].removeAll { $0.source == id }
      links[reference.bond] += new
    } else {
      backLinks[reference.bond].removeAll { $0.target == id }
      backLinks[reference.bond] += new
    }
  }

  /// The faults at the end of an operation: required to-ones that lead nowhere, counts out of
  /// range.
  var faults: Set<StoreError.Code> {
    var faults: Set<StoreError.Code> = []
    for object in labels.keys {
      for reference in shape.ends[object.kind] {
        guard let end = shape.end(reference) else { continue }
        if end.isRequired, others(reference, of: object.id, dangling: true).isEmpty {
          faults.insert(.missingValue)
        }
        if let count = end.count, !count.contains(others(reference, of: object.id).count) {
          faults.insert(.validationFailed)
        }
      }
    }
    return faults
  }

  /// Deletes objects, with all that the delete rules delete.
  mutating func delete(_ objects: Set<Object>) throws {
    var deletions = objects.filter { labels[$0] != nil }
    if deletions.isEmpty { return }
    while let next = followers(of: deletions).first { deletions.insert(next) }
    for bond in shape.bonds.indices {
      for link in links[bond] {
        for isSource in [true, false] {
          let other = object(link, bond, atSource: !isSource)
          if deletions.contains(object(link, bond, atSource: isSource)),
            shape.bonds[bond].rule(ofSource: isSource) == .deny, !deletions.contains(other),
            labels[other] != nil
          {
            throw Refusal(.denied, .validationFailed)
          }
        }
      }
    }
    for bond in shape.bonds.indices {
      let rules = shape.bonds[bond]
      let removed = links[bond].filter { link in
        [true, false].contains { isSource in
          deletions.contains(object(link, bond, atSource: isSource))
            && (rules.holdsKey(atSource: isSource)
              || rules.rule(ofSource: isSource) != .noAction)
        }
      }
      unlink(bond) { removed.contains($0) }
    }
    for deletion in deletions { labels[deletion] = nil }
    if !faults.isEmpty { throw Refusal(faults) }
  }

  /// Returns the objects that the deletes of these objects cascade to, one step on.
  private func followers(of deletions: Set<Object>) -> [Object] {
    var found: [Object] = []
    for bond in shape.bonds.indices {
      for link in links[bond] {
        for isSource in [true, false] where shape.bonds[bond].rule(ofSource: isSource) == .cascade {
          let other = object(link, bond, atSource: !isSource)
          if deletions.contains(object(link, bond, atSource: isSource)), !deletions.contains(other),
            labels[other] != nil
          {
            found.append(other)
          }
        }
      }
    }
    return found
  }
}
