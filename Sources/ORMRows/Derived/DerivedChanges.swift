internal import ORMStorage

/// The changes to derived attributes that follow from a write of one entity's rows, row by row.
struct DerivedChanges {
  let feeds: DerivedFeeds
  /// The owners that are known from the rows alone, by the position of the link in `feeds.targets`.
  private(set) var owners: [Int: DerivedOwners] = [:]
  /// The targets of join rows, by the position of the link in `feeds.targets`.
  private(set) var targets: [Int: [Target]] = [:]
  /// Rows between that came or went, by the position of the link in `feeds.links`.
  private(set) var links: [Int: [Link]] = [:]
  /// The keys of new owners.
  private(set) var inserted: [[StoredValue]] = []
  /// Columns of a row's image: where owners' keys, sources and other ends are.
  private let plans: [TargetPlan]
  private let ends: [EndsPlan]
  private let hidden: Int?

  /// A target that changed: the values of the attributes' sources before and after; nil where it does
  /// not count.
  struct Target {
    var key: [StoredValue]
    var old: [StoredValue]?
    var new: [StoredValue]?
  }

  /// A row between an owner and a target that came or went.
  struct Link {
    var owner: [StoredValue]
    var target: [StoredValue]
    var came: Bool
  }

  fileprivate struct TargetPlan {
    /// The positions of the owner's key in an image; nil if join rows hold it.
    var owner: [Int]?
    /// The position of each attribute's source in an image; nil for a count.
    var sources: [Int?]
    /// True if an image is a target's.
    var takes: ([StoredValue]) -> Bool
  }

  private struct EndsPlan {
    var here: [Int]
    var there: [Int]
    var takes: ([StoredValue]) -> Bool
  }

  init(_ feeds: DerivedFeeds) {
    self.feeds = feeds
    func position(_ column: Int) -> Int { feeds.columns.firstIndex(of: column) ?? 0 }
    plans = feeds.targets.map { target in
      TargetPlan(
        owner: target.owner?.map(position), sources: target.sources.map { $0.map(position) },
        takes: target.kinds.moved(position))
    }
    ends = feeds.links.map { ends in
      EndsPlan(
        here: ends.here.map(position), there: ends.there.map(position),
        takes: ends.kinds.moved(position))
    }
    hidden = feeds.hidden.flatMap { feeds.columns.firstIndex(of: $0) }
  }

  /// True if no change was recorded.
  var isEmpty: Bool { owners.isEmpty && targets.isEmpty && links.isEmpty && inserted.isEmpty }

  /// A row was inserted, changed or deleted; its images hold `feeds.columns`.
  ///
  /// Nothing can be linked to a row whose key the store has just given: it is `fresh`.
  mutating func note(_ old: [StoredValue]?, _ new: [StoredValue]?, isFresh: Bool = false) {
    let before = visible(old)
    let after = visible(new)
    if before == nil && after == nil { return }
    for (index, plan) in plans.enumerated() {
      // A row stays of its kind.
      guard let image = before ?? after, plan.takes(image) else { continue }
      let link = feeds.targets[index].link
      let (left, right) = (before.map(plan.values(of:)), after.map(plan.values(of:)))
      guard let columns = plan.owner else {
        if isFresh { continue }
        if let left, let right, Self.isSame(left, right) { continue }
        targets[index, default: []].append(
          Target(key: Array(image.prefix(feeds.entity.key.count)), old: left, new: right))
        continue
      }
      let from = before.map { image in columns.map { image[$0] } }
      let to = after.map { image in columns.map { image[$0] } }
      if let left, let right, let from, let to, GroupKey(from) == GroupKey(to) {
        if Self.isSame(left, right) { continue }
        owners[index, default: DerivedOwners()].noteChange(left, right, owner: from, link)
        continue
      }
      if let left, let from {
        owners[index, default: DerivedOwners()].note(left, came: false, owner: from, link)
      }
      if let right, let to {
        owners[index, default: DerivedOwners()].note(right, came: true, owner: to, link)
      }
    }
    for (index, end) in ends.enumerated() {
      guard let image = before ?? after, end.takes(image) else { continue }
      func link(_ image: [StoredValue], came: Bool) -> Link {
        Link(owner: end.here.map { image[$0] }, target: end.there.map { image[$0] }, came: came)
      }
      let (from, to) = (before.map { link($0, came: false) }, after.map { link($0, came: true) })
      if let from, let to, GroupKey(from.owner + from.target) == GroupKey(to.owner + to.target) {
        continue
      }
      links[index, default: []] += [from, to].compactMap(\.self)
    }
  }

  /// An owner was inserted that links may have waited for.
  mutating func noteInserted(_ key: [StoredValue]) { inserted.append(key) }

  private static func isSame(_ a: [StoredValue], _ b: [StoredValue]) -> Bool {
    zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
  }

  private func visible(_ image: [StoredValue]?) -> [StoredValue]? {
    guard let image, let hidden, !image[hidden].isNull else { return image }
    return nil
  }
}

extension DerivedChanges.TargetPlan {
  fileprivate func values(of image: [StoredValue]) -> [StoredValue] {
    sources.map { $0.map { image[$0] } ?? .null }
  }
}
