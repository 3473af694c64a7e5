internal import ORM

/// Relationships between three entities, made at random: of every kind, with every delete rule.
struct GraphShape: Sendable {
  /// The entities' names; a kind is an index here.
  static let names = ["Ant", "Bee", "Cow"]
  static let kinds = Array(names.indices)

  /// One end of a bond: a relationship that an entity declares.
  struct End: Hashable, Sendable {
    /// The entity that declares it.
    var kind: Int
    /// The entity it leads to.
    var target: Int
    var isToMany: Bool
    /// The one of the model's properties for such links that it is.
    var slot: Int
    /// The action on the objects at the other end when the object is deleted.
    var rule = DeleteRule.nullify
    var isRequired = false
    var isOrdered = false
    var count: ClosedRange<Int>?

    /// The relationship's name.
    var name: String { "\(isToMany ? "many" : "one")\(GraphShape.names[target])\(slot)" }
  }

  /// The location of the links of a bond, as `RelationshipDescription` has it.
  enum Location { case source, target, between }

  /// A relationship, with the one back if there is one.
  struct Bond: Sendable {
    var source: End
    /// The relationship back; nil for a one-way one.
    var back: End?
    /// The delete rule of a one-way relationship for the source when its target is deleted.
    var targetRule = DeleteRule.nullify
    /// True if a target of a one-way to-many may have several referrers.
    var isShared = false
    /// The side that names the other as its inverse: the source, the target, or both.
    var naming = 0

    /// True if an object at the source has at most one target.
    var isSourceOne: Bool { !source.isToMany }
    /// True if a target has at most one source.
    var isTargetOne: Bool { back.map { !$0.isToMany } ?? (source.isToMany && !isShared) }

    /// Returns the action on the objects at the other end when an object at one end is deleted.
    func rule(ofSource isSource: Bool) -> DeleteRule {
      isSource ? source.rule : back?.rule ?? targetRule
    }

    /// The end of one side.
    func end(ofSource isSource: Bool) -> End? { isSource ? source : back }

    func kind(ofSource isSource: Bool) -> Int { isSource ? source.kind : source.target }

    var location: Location {
      guard let back else { return isSourceOne ? .source : isShared ? .between : .target }
      switch (source.isToMany, back.isToMany) {
      case (true, true): return .between
      case (false, true): return .source
      case (true, false): return .target
      case (false, false):
        if source.isRequired != back.isRequired { return source.isRequired ? .source : .target }
        let names = (GraphShape.names[source.kind], GraphShape.names[back.kind])
        return (names.0, source.name) < (names.1, back.name) ? .source : .target
      }
    }

    /// Returns whether the key of the other end is in the row of an end.
    func holdsKey(atSource isSource: Bool) -> Bool { location == (isSource ? .source : .target) }
  }

  /// An end by its bond.
  struct Reference: Hashable, Sendable {
    var bond: Int
    var isSource: Bool
  }

  private(set) var bonds: [Bond] = []
  /// True if the keys of the first entity are given by the store.
  private(set) var isGenerated = false
  /// The relationships of each entity, in declared order.
  private(set) var ends: [[Reference]] = [[], [], []]

  func end(_ reference: Reference) -> End? {
    bonds[reference.bond].end(ofSource: reference.isSource)
  }

  /// The shape of a number.
  init(number: UInt64) {
    var random = SeededGenerator(seed: number)
    isGenerated = random.chance(3)
    for _ in 0..<random.number(2...6) { addBond(&random) }
    for (bond, pair) in bonds.enumerated() {
      ends[pair.source.kind].append(Reference(bond: bond, isSource: true))
      if let back = pair.back { ends[back.kind].append(Reference(bond: bond, isSource: false)) }
    }
  }

  private mutating func addBond(_ random: inout SeededGenerator) {
    let kinds = (random.pick(Self.kinds), random.pick(Self.kinds))
    let form = random.number(0...8)
    guard let slot = freeSlot(kinds.0, kinds.1, isToMany: form > 2, besides: nil) else { return }
    var source = End(kind: kinds.0, target: kinds.1, isToMany: form > 2, slot: slot)
    source.rule = Self.rule(&random)
    var bond = Bond(source: source)
    switch form {
    case 0, 8:  // one-way
      bond.targetRule = Self.rule(&random)
    case 3: bond.targetRule = Self.rule(&random)
    case 4:
      bond.targetRule = Self.rule(&random)
      bond.isShared = true
    default:
      let isToMany = form == 2 || form >= 6
      guard let slot = freeSlot(kinds.1, kinds.0, isToMany: isToMany, besides: source)
      else { return }
      var back = End(kind: kinds.1, target: kinds.0, isToMany: isToMany, slot: slot)
      back.rule = Self.rule(&random)
      bond.back = back
      bond.naming = random.number(0...2)
    }
    Self.decorate(&bond, &random)
    bonds.append(bond)
  }

  /// Required to-ones, orders and counts.
  private static func decorate(_ bond: inout Bond, _ random: inout SeededGenerator) {
    func other(_ rule: DeleteRule, _ random: inout SeededGenerator) -> DeleteRule {
      rule == .nullify ? random.pick([.cascade, .deny, .noAction]) : rule
    }
    if !bond.source.isToMany, random.chance(5) {
      bond.source.isRequired = true
      if let rule = bond.back?.rule {
        bond.back?.rule = other(rule, &random)
      } else {
        bond.targetRule = other(bond.targetRule, &random)
      }
    } else if let back = bond.back, !back.isToMany, random.chance(5) {
      bond.back?.isRequired = true
      bond.source.rule = other(bond.source.rule, &random)
    }
    let counts = [0...2, 1...3, 0...1, 1...100]
    if bond.source.isToMany {
      bond.source.isOrdered = random.chance(2)
      if random.chance(5) { bond.source.count = random.pick(counts) }
    }
    if bond.back?.isToMany == true {
      bond.back?.isOrdered = random.chance(2)
      if random.chance(5) { bond.back?.count = random.pick(counts) }
    }
  }

  private static func rule(_ random: inout SeededGenerator) -> DeleteRule {
    random.pick([.nullify, .nullify, .cascade, .deny, .noAction])
  }

  /// A property for links of a sort that no bond has taken.
  private func freeSlot(_ kind: Int, _ target: Int, isToMany: Bool, besides: End?) -> Int? {
    let taken =
      bonds.flatMap { [$0.source, $0.back].compactMap(\.self) } + [besides].compactMap(\.self)
    return [0, 1].first { slot in
      !taken.contains {
        $0.kind == kind && $0.target == target && $0.isToMany == isToMany && $0.slot == slot
      }
    }
  }
}

extension GraphShape: CustomStringConvertible {
  /// The relationships, a line each.
  var description: String {
    func text(_ end: End) -> String {
      var text = "\(Self.names[end.kind]).\(end.name) delete \(end.rule)"
      if end.isRequired { text += " required" }
      if end.isOrdered { text += " ordered" }
      if let count = end.count { text += " count \(count)" }
      return text
    }
    let lines = bonds.map { bond in
      let back =
        bond.back.map { " <-> \(text($0))" }
        ?? " one-way, target deleted \(bond.targetRule)\(bond.isShared ? ", shared" : "")"
      return "\n  \(text(bond.source))\(back)"
    }
    return (isGenerated ? "generated keys of Ant" : "keys of the program") + lines.joined()
  }
}
