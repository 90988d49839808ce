# Bundler requires a gem by its name.
require_relative "baton_kit"
