internal import ORMStorage

/// Calls of core's evaluator: their arguments and their texts.
extension ConditionCompiler {
  /// The arguments of a call.
  struct Arguments {
    var frame: SQLFrame
    var texts: [SQLText] = []
    var rewriting = FrameRewriting(operands: [:])
    /// True if some argument is computed from related rows.
    var hasRelated = false
    var nesting = 1
    var height = 4
  }

  /// Returns the arguments for the values that a call reads from the rows around it.
  ///
  /// Attributes come first, by scope and position; then values computed from related rows.
  mutating func arguments(_ leaves: FrameLeaves) throws -> Arguments {
    var arguments = Arguments(frame: SQLFrame(entity: table.entity.modelName, columns: []))
    var paths: [(scope: Int, position: Int, leaf: FrameLeaves.Leaf)] = []
    var others: [FrameLeaves.Leaf] = []
    for leaf in leaves.leaves {
      guard case .path(let path) = leaf else {
        others.append(leaf)
        continue
      }
      paths.append((path.scope, try position(of: path), leaf))
    }
    var operands: [FrameLeaves.Leaf: Operand] = [:]
    var names: Set<ExactText> = []
    func add(_ leaf: FrameLeaves.Leaf, _ text: SQLText, _ source: SQLRowLayout.Column) {
      var name = source.attribute
      while !names.insert(name).inserted { name += "'" }
      arguments.frame.columns.append(SQLFrame.Column(name: name, source: source))
      arguments.texts.append(text)
      operands[leaf] = source.isTagged ? .element(.attribute(name), 0) : .attribute(name)
    }
    for path in paths.sorted(by: { ($0.scope, $0.position) < ($1.scope, $1.position) }) {
      add(path.leaf, text(path.position, of: path.scope), try source(path.position, of: path.scope))
    }
    for leaf in others {
      let related = try related(leaf)
      add(leaf, related.text, related.source)
      arguments.hasRelated = true
      arguments.nesting = max(arguments.nesting, related.nesting + 2)
      arguments.height = max(arguments.height, related.height + 2)
    }
    arguments.rewriting = FrameRewriting(operands: operands)
    return arguments
  }

  /// The arguments of an operand alone.
  mutating func arguments(_ operand: Operand) throws -> Arguments {
    var leaves = FrameLeaves()
    leaves.add(operand)
    return try arguments(leaves)
  }

  /// Returns a piece as text; a piece that is left to the evaluator becomes a call of it.
  mutating func text(of piece: Piece) throws -> Text {
    switch piece {
    case .text(let text): return text
    case .evaluated(let condition):
      var leaves = FrameLeaves()
      leaves.add(condition)
      let arguments = try arguments(leaves)
      return Text(
        text: call(
          .test, .test(arguments.rewriting.rewritten(condition), arguments.frame), arguments.texts),
        canBeNull: false, nesting: arguments.nesting, height: arguments.height)
    }
  }

  /// A call of an evaluator.
  ///
  /// Arguments beyond those of a call go through calls in its arguments, which run before.
  ///
  /// - Parameter anchor: a last argument that the evaluator does not look at.
  mutating func call(
    _ function: SQLFunction, _ evaluation: SQLEvaluation, _ columns: [SQLText],
    anchor: SQLText? = nil
  ) -> SQLText {
    let evaluator: SQLText = "\(.evaluator(number(of: evaluation)))"
    let most = dialect.limits.arguments
    var texts = [evaluator]
    if columns.count <= most {
      texts += columns
    } else {
      // The first columns are the call's own; each further run is passed by a call of its own.
      texts += columns.prefix(most / 2)
      for start in stride(from: most / 2, to: columns.count, by: most - 1) {
        let run = columns[start..<min(start + most - 1, columns.count)]
        let parts: [SQLText] = [evaluator, "\(sql: String(start))"] + run
        texts.append("\(sql: SQLFunction.more.rawValue)(\(parts.joined(separator: ", ")))")
      }
    }
    if let anchor { texts.append(anchor) }
    return "\(sql: function.rawValue)(\(texts.joined(separator: ", ")))"
  }
}
