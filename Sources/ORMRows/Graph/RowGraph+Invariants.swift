internal import ORMStorage

extension RowGraph {
  /// Checks the numbered invariants of a graph that was collected and not yet written; release
  /// builds drop it.
  ///
  /// 1. Each table is that of its number, and finds each of its nodes by the node's key.
  /// 2. An object that has no key yet is whole: only the store or the object itself gives keys.
  /// 3. Links name nodes that are there.
  /// 4. A referrer that an owner was given, or set to, is said to belong to that owner.
  /// 5. Where an owner has one referrer at most, both say the same.
  /// 6. The links that are rows are listed once each, and hold all that owners were set to.
  package func checkInvariants() {
    for (number, table) in tables {
      assert(table.number == number, "1: a table under another number")
      for (index, node) in table.nodes.enumerated() {
        assert(node.key.isEmpty || table.node(node.key) == index, "1: a node of another key")
        assert(!node.key.isEmpty || node.isWhole, "2: an object without key and attributes")
      }
    }
    for (number, links) in slots {
      let slot = layout.slots[number]
      let (referrers, owners) = (nodeCount(slot.referrer), nodeCount(slot.owner))
      for (referrer, owner) in links.owners {
        assert(referrer < referrers && owner ?? 0 < max(owners, 1), "3: a link to no node")
      }
      for (owner, list) in links.sets.merging(links.added, uniquingKeysWith: +) {
        assert(owner < owners, "3: a link of no node")
        assert(
          list.allSatisfy { links.owners[$0] == .some(owner) }, "4: a referrer of another owner")
      }
      for (owner, referrer) in links.referrers {
        assert(
          slot.isOne && links.owners[referrer] == .some(owner), "5: an owner of another referrer")
      }
    }
    for (number, links) in joins {
      let join = layout.joins[number]
      let (first, second) = (nodeCount(join.first.entity), nodeCount(join.second.entity))
      assert(links.pairs.count == links.wanted.count, "6: a link twice")
      for pair in links.pairs {
        assert(links.wanted.contains(pair), "6: a link that is not wanted")
        assert(pair.first < first && pair.second < second, "3: a link to no node")
      }
      for isFirst in [true, false] {
        for (owner, list) in isFirst ? links.sets.first : links.sets.second {
          let holds = list.allSatisfy {
            links.wanted.contains(.init(owner, $0, isFirst: isFirst))
          }
          assert(holds, "6: a link that was set and is not there")
        }
      }
    }
  }

  private func nodeCount(_ number: Int) -> Int { tables[number]?.nodes.count ?? 0 }
}
