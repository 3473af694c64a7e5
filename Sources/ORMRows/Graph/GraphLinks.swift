/// The links that a graph specifies for one key slot: which referrer belongs to which owner.
package struct SlotLinks {
  /// The owner of each referrer of which something is said; nil for none.
  package private(set) var owners: [Int: Int?] = [:]
  /// The referrer of each owner, where an owner has one at most.
  package private(set) var referrers: [Int: Int] = [:]
  /// The owners whose referrers were set, each with them in order: their other referrers are released.
  package private(set) var sets: [Int: [Int]] = [:]
  /// The referrers that were given to an owner besides its list, in order.
  package private(set) var added: [Int: [Int]] = [:]
  /// The referrers that were taken from an owner one by one, in order.
  private(set) var removed: [Int: [Int]] = [:]

  /// Returns the owner given to a referrer, with an inner nil for none; nil if nothing is
  /// specified.
  package func claim(on referrer: Int) -> Int?? { owners[referrer] }

  /// Notes that a referrer belongs to an owner.
  ///
  /// - Returns: false when it is said to belong to another, or the owner has another.
  mutating func give(_ referrer: Int, to owner: Int, isOne: Bool) -> Bool {
    if let known = owners[referrer], let known, known != owner { return false }
    if isOne {
      if let known = referrers[owner], known != referrer { return false }
      referrers[owner] = referrer
    }
    owners[referrer] = owner
    return true
  }

  /// Notes that a referrer has no owner, unless it was given one.
  mutating func free(_ referrer: Int) {
    if owners[referrer] == nil { owners[referrer] = .some(nil) }
  }

  /// Sets an owner's referrers; a list that was given before is not replaced.
  ///
  /// - Returns: false when another list was given before.
  mutating func set(_ owner: Int, to list: [Int]) -> Bool {
    if let known = sets[owner], !known.isEmpty, !list.isEmpty, known != list { return false }
    if sets[owner]?.isEmpty ?? true { sets[owner] = list }
    return true
  }

  /// Notes that a referrer was given to an owner by itself.
  mutating func add(_ referrer: Int, to owner: Int) { added[owner, default: []].append(referrer) }

  /// Notes that a referrer was taken from an owner by itself.
  mutating func remove(_ referrer: Int, from owner: Int) {
    removed[owner, default: []].append(referrer)
  }

  /// Forgets the referrers that were taken from owners.
  mutating func keepRemoved() { removed = [:] }

  /// Forgets the owner of a referrer.
  mutating func forget(_ referrer: Int) {
    if let owner = owners.removeValue(forKey: referrer) ?? nil, referrers[owner] == referrer {
      referrers[owner] = nil
    }
  }

  /// Adds an owner's list to its stored members, instead of replacing them.
  mutating func keepMembers(of owner: Int) {
    guard let list = sets.removeValue(forKey: owner) else { return }
    added[owner, default: []] += list
  }
}

/// The links that a graph specifies for one join slot, where links are rows.
package struct JoinLinks {
  /// A link, by the numbers of both ends.
  package struct Pair: Hashable {
    package let first: Int
    package let second: Int

    init(first: Int, second: Int) {
      self.first = first
      self.second = second
    }

    /// The link of an owner at one end to a target at the other.
    init(_ owner: Int, _ target: Int, isFirst: Bool) {
      (first, second) = isFirst ? (owner, target) : (target, owner)
    }
  }

  /// The links that are to be, in the order given.
  package private(set) var pairs: [Pair] = []
  private(set) var wanted: Set<Pair> = []
  /// The targets that owners were set to, by end.
  package private(set) var sets: (first: [Int: [Int]], second: [Int: [Int]]) = ([:], [:])
  /// The links that are to go, in the order given.
  private(set) var removed: [Pair] = []

  /// Notes that a link is to be removed, unless it is wanted.
  mutating func remove(_ pair: Pair) { removed.append(pair) }

  /// Forgets which links are to go.
  mutating func keepRemoved() { removed = [] }

  /// Notes that a link is wanted.
  mutating func add(_ pair: Pair) {
    if wanted.insert(pair).inserted { pairs.append(pair) }
  }

  /// Sets an owner's targets.
  ///
  /// - Returns: false when another list was given before.
  mutating func set(_ owner: Int, to list: [Int], isFirst: Bool) -> Bool {
    let known = isFirst ? sets.first[owner] : sets.second[owner]
    if let known, !known.isEmpty, !list.isEmpty, known != list { return false }
    if known?.isEmpty ?? true {
      if isFirst { sets.first[owner] = list } else { sets.second[owner] = list }
    }
    for target in list { add(Pair(owner, target, isFirst: isFirst)) }
    return true
  }

  /// Keeps only links that pass a test.
  mutating func keep(_ isIncluded: (Pair) -> Bool) {
    pairs.removeAll { !isIncluded($0) }
    wanted = Set(pairs)
  }

  /// Forgets that an owner's list replaces its stored members.
  mutating func keepMembers(of owner: Int, isFirst: Bool) {
    if isFirst { sets.first[owner] = nil } else { sets.second[owner] = nil }
  }
}
